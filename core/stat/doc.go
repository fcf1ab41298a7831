// Package stat holds the few functions of analysis that must give the same bits on every machine: exponential, logarithm
// and power, the tails of the normal, χ² and Kolmogorov distributions, and the one source of randomness.
//
// Why not package math: its Exp, Pow, Erfc and Log1p are assembly on some targets and compiled with fused
// multiply-adds on others, so that a threshold can be met natively and missed in the module. Everything here is made of
// + - * / and Sqrt, Floor and bit moves, each product that feeds a sum stands in an explicit float64(…), which forbids
// the compiler to fuse it, and no order of evaluation is left open.
//
//	function         largest error seen against 50-digit references (ulp = unit in the last place)
//	Exp, Log         1 ulp
//	Log1p            4 ulp
//	Pow              4 ulp; integer powers 1 ulp
//	Erfc             3 ulp
//	NormalTail       relative 1e-15 at 3, 2e-13 at 37 (the argument's own rounding)
//	ChiSquareTail    relative 2e-13 down to 1e-300
//	KolmogorovTail   relative 1e-13
//
// Randomness is counter-based: Draw(seed, client, attempt) is a value, not a stream, so that no order of events, no
// split of the work and no other client can change what a client draws.
package stat
