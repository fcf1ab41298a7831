// Package connlog reads logs of WebSocket connections into events.
package connlog
