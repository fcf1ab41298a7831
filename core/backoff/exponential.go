package backoff

// Exponential multiplies by the factor each attempt: c = base·factor^(n-1), up to the cap.
//
//	exp:1s:30s       1, 2, 4, 8, 16, 30, 30 s
//	exp:3s:10s:1.3   3, 3.9, 5.07, 6.591, 8.5683, 10, 10 s
//
// Binary exponential backoff as in Ethernet (Metcalfe and Boggs 1976), where each station also draws. Without the draw it
// spaces the waves of a herd without dissolving them.
const Exponential Growth = "exp"
