package jitter

// clamped tries the fault of drawing first and cutting at the cap afterwards: the ceiling goes on growing, and whatever
// falls above the cap lies exactly on it, in the end all waits.
func (s *sample) clamped(t *table) {
	e := &s.noise[0]
	longest := 0.0
	for _, d := range s.d {
		longest = max(longest, d-e.mu)
	}
	limit, atoms := s.atom(longest)
	below := len(s.d) - atoms
	if atoms < 3 || below < 2 || s.last < 3 || e.half > 0 {
		return
	}
	for g := range growths {
		x := &growths[g]
		if x.drawn < leastShare {
			continue
		}
		most := 0.0 // the largest d/g below the cap: the ceiling is no lower
		for i, d := range s.d {
			if d-e.mu <= limit-4*e.sigma {
				most = max(most, (d-e.mu)/x.g[s.index[i]])
			}
		}
		least := 1.0 // how far down, in units of the ceiling, the waits below the cap reach
		for i, d := range s.d {
			if d-e.mu <= limit-4*e.sigma {
				least = min(least, (d-e.mu+2*e.sigma)/float64(most*x.g[s.index[i]]))
			}
		}
		for i, sp := range spreads {
			if sp.weight < 0.1 || 1-sp.s > least {
				continue
			}
			family := sp.family
			for _, step := range [...]float64{1, 1.06, 1.15, 1.35, 1.7} {
				base := float64(most * step)
				f := fit{base: base, top: limit, m: x.m, spread: sp.s, clamped: true, mostly: true}
				f.log = s.cutAt(e, x, base, sp.s, limit) + x.drawn + weightLogs[i] - 1.5 - logLogRange - whole(below) +
					pointCost(limit, e.sigma, float64(atoms), logRange)
				t.offer(family, f)
			}
		}
	}
}

// cutAt is ln of the density under min(limit, U(1 − spread, 1) · base · g[attempt]).
func (s *sample) cutAt(e *kernel, x *growth, base, spread, limit float64) float64 {
	var p product
	for i, d := range s.d {
		high := float64(base * x.g[s.index[i]])
		low := float64(high * (1 - spread))
		density := 0.0
		switch {
		case low >= limit:
			density = e.pdf(d - limit - e.mu)
		case high <= limit:
			density = e.flat(d, low, high)
		default:
			above := (high - limit) / (high - low)
			density = float64((1-above)*e.flat(d, low, limit)) + float64(above*e.pdf(d-limit-e.mu))
		}
		p.times(float64(s.keep*density) + s.floor[i])
	}
	return p.log()
}
