// Package envoy holds the filter's tests on a real Envoy; it has no code. They run by `./build.sh test`, or alone by
//
//	./build.sh envoy
//
// which brings Envoy 1.40.0 into a folder of the build, and then
//
//	go test -tags envoy ./host/proxywasm/envoy -envoy PATH
//
// The configuration is wasm/filter/envoy.yaml, the one in the filter's README, with other ports and paths.
package envoy
