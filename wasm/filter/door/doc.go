// Package door decides over one handshake: who asks, may it come in, and if not, when should it come again?
//
// It knows nothing of proxy-wasm. Requests are pairs of names and values, instants are told, and what the workers of a
// proxy share lies behind two operations: Get, and Set with compare-and-set. So everything here is tested natively, with
// the rules of several hosts.
//
// # Buckets that workers share
//
// Each worker of a proxy has its own copy of the filter with its own memory. Their common limit lies in the host's shared
// data as a fixed number of shards (bucket.Shard), so that no crowd of clients makes it grow; hosts never forget a key.
// A decision is
//
//	get the shard     absent: it is begun with a compare-and-set value that no stored one has, so that of two workers
//	                  that begin it at once only one succeeds (where the host forgets keys, the next try begins with 0)
//	take from it      a refusal writes nothing
//	set it            refused because somebody else has set it meanwhile: begin again, at most Tries times
//
// With the value 0 in the first step, as examples have it, the second beginner overwrites the first, and a burst of 5
// lets 8 in (measured with four workers).
//
// # When the state cannot be had
//
// The handshake is let in, and the verdict says why (Open): the host refuses Get or Set, or Tries were not enough. A
// filter must not be the reason why nobody gets in.
//
// # What is in the shared data need not be ours
//
// A value that is not a shard of this version (another version of the filter wrote it, or another filter), or one whose
// clock is an hour ahead of ours, is replaced by full buckets and counted (Foreign).
package door
