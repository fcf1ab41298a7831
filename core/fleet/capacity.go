package fleet

// CapacitySeen is the most events a second that were kept up for ten seconds. Of accepted handshakes it is a lower bound of
// the server's capacity: it could do at least that. 0 for fewer than ten events.
func CapacitySeen(opens *Counts) float64 {
	if opens.Total() < 10 {
		return 0
	}
	length := max(10*second, opens.Width())
	type bin struct {
		at int64
		n  uint32
	}
	var window []bin
	from := 0
	sum, best := uint64(0), uint64(0)
	opens.Each(func(at int64, n uint32) {
		window = append(window, bin{at, n})
		sum += uint64(n)
		for window[from].at+length <= at {
			sum -= uint64(window[from].n)
			from++
		}
		if from > 4096 {
			window = append(window[:0], window[from:]...)
			from = 0
		}
		best = max(best, sum)
	})
	return float64(best) / (float64(length) / float64(second))
}

// Stall is a stretch in which more and more was tried and less and less succeeded: the sign of a server that works for
// clients that have already given up (Bronson et al. 2021 call the state metastable).
type Stall struct {
	From, To int64 // ns
	Attempts int64
	Opens    int64
	Usual    float64 // accepted a second before and after
}

// Stalls finds the stretches of at least a minute in which attempts came at twice their usual rate or more and less than
// half as many as usual were accepted. Usual is the median of the ten-second bins in which anything happened.
func Stalls(attempts, opens *Counts) []Stall {
	const step = 10 * second
	tried, accepted := perBin(attempts, step), perBin(opens, step)
	if len(tried) < 12 {
		return nil
	}
	usualTried, usualOpen := middle(tried), middle(accepted)
	if usualOpen < 5 {
		return nil
	}
	var stalls []Stall
	j, run := 0, Stall{}
	end := func() {
		if run.To-run.From >= minute {
			run.Usual = usualOpen / 10
			stalls = append(stalls, run)
		}
		run = Stall{}
	}
	for _, b := range tried {
		for j < len(accepted) && accepted[j].at < b.at {
			j++
		}
		open := uint64(0)
		if j < len(accepted) && accepted[j].at == b.at {
			open = accepted[j].n
		}
		if float64(b.n) < 2*usualTried || float64(open) >= usualOpen/2 {
			end()
			continue
		}
		if run.To != b.at*step {
			end()
			run.From = b.at * step
		}
		run.To = (b.at + 1) * step
		run.Attempts += int64(b.n)
		run.Opens += int64(open)
	}
	end()
	return stalls
}

func middle(list []count) float64 {
	if len(list) == 0 {
		return 0
	}
	var values []uint64
	for _, b := range list {
		values = append(values, b.n)
	}
	sortWhole(values)
	return float64(values[len(values)/2])
}
