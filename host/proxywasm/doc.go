// Package proxywasm runs a proxy-wasm filter before any http.Handler: in tests, and for those who have no Envoy.
//
//	h, err := proxywasm.New(ctx, wasm, proxywasm.Options{Configuration: `{"mode": "enforce", "key": "ip"}`})
//	defer h.Close(ctx)
//	http.ListenAndServe(":8080", h.Wrap(httputil.NewSingleHostReverseProxy(backend)))
//
// It is a host of the proxy-wasm ABI 0.2.0 on wazero, as far as an HTTP filter needs it that looks at headers: what the
// module imports beyond that is named when it is compiled.
//
// # As Envoy does it
//
//   - Each worker (Options.VMs) is a VM of its own, single-threaded. A request belongs to one VM to its end.
//   - Shared data has one lock, one global compare-and-set counter that is never 0, and these rules: set with 0 replaces
//     anything; set with another number than the stored one is a mismatch; set of an absent key succeeds with any number;
//     nothing is ever forgotten.
//   - Counters and gauges are the process's, by name.
//
// # As Envoy does not do it
//
// A VM that trapped is thrown away and made anew, at first at once and then with growing pauses; what is asked of it
// meanwhile passes unfiltered. Sessions that it knew live on, for they are not the VM's.
//
// # Two lessons
//
// The compiler of wazero leaves garbage in the upper half of the 64-bit slots in which a host function receives 32-bit
// numbers; its interpreter does not. Every one is converted (api.DecodeU32), or half of the requests pass silently.
//
// After a panic of a Go guest the module is not closed, and later calls answer from a broken runtime. Any error of any
// call is the end of that VM.
package proxywasm
