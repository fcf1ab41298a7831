// Real libraries at their defaults, each as a factory for lintClient, lintTask or lintSchedule, in the smallest program
// that a user of the library would write. `kit` are the options of lintClient.
//
// `expect` lists every finding at medium and above. Its first part is what the library's source says about its schedule;
// what the kit sees beside that has one of these reasons:
//   bad-timeout   nothing ends a handshake that is not answered: the library leaves it to the runtime, and browsers and ws wait for minutes or for ever
//   hint-ignored  a wait named in a close reason is not read; no standard says how to name it, so this is a remark about all of them
//   retry-fatal   it comes back after 1008 or 4000 like after any other close
//   fixed-locked  beside growth-locked: where sessions are acknowledged and dropped, it starts again each time
//   clamp-after-jitter  of reconnecting-websocket: drawn once, so that every client sits on the cap in the end
//   not-observed  of viem: its polling goes on after it has given up, so that giving up cannot be told from waiting
//   axios-retry   here with exponentialDelay, which its readme recommends: 200 ms · 2^n + 0 to 20 %, without a cap
const global = { global: true };
const page = { page: true };
const ws = { module: "ws" };
const quiet = (emitter) => (emitter.on("error", () => {}), emitter);

export const clients = [
  { name: "socket.io-client", expect: ["clamp-after-jitter", "early-reset", "hint-ignored", "overflow", "retry-fatal"], kit: ws, handshake: { onOpen: ['0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":100000}'], onMessage: (d) => (d === "40" ? '40{"sid":"t"}' : undefined) },
    async make() { const { io } = await import("socket.io-client"); return io("http://localhost/", { transports: ["websocket"], forceNew: true }); } },
  { name: "phoenix", expect: ["bad-timeout", "early-reset", "fixed-locked", "growth-locked", "hint-ignored", "immediate-retry", "no-growth", "retry-fatal"], kit: page, async make() { const { Socket } = await import("phoenix"); new Socket("ws://localhost/socket").connect(); } },
  { name: "mqtt", expect: ["fixed-locked", "hint-ignored", "no-growth", "retry-fatal"], kit: ws, handshake: { onMessage: () => new Uint8Array([0x20, 2, 0, 0]) },
    async make() { const { default: mqtt } = await import("mqtt"); return quiet(mqtt.connect("ws://localhost/")); } },
  { name: "graphql-ws", expect: ["bad-timeout", "hint-ignored"], kit: global, handshake: { protocol: "graphql-transport-ws", onMessage: (d) => (d.includes("connection_init") ? '{"type":"connection_ack"}' : undefined) },
    async make() { const { createClient } = await import("graphql-ws"); return createClient({ url: "ws://localhost/", lazy: false, onNonLazyError() {} }); } },
  { name: "@microsoft/signalr", expect: ["bad-timeout", "fixed-locked", "growth-locked", "hint-ignored", "immediate-retry", "retry-fatal"], kit: ws, handshake: { onMessage: (d) => (d.includes("protocol") ? "{}\x1e" : undefined) },
    async make() {
      const { HttpTransportType, HubConnectionBuilder, LogLevel } = await import("@microsoft/signalr");
      await new HubConnectionBuilder().withUrl("http://localhost/", { skipNegotiation: true, transport: HttpTransportType.WebSockets }).withAutomaticReconnect().configureLogging(LogLevel.None).build().start();
    } },
  { name: "reconnecting-websocket", expect: ["clamp-after-jitter", "hint-ignored", "retry-fatal"], kit: global, fresh: "reconnecting-websocket",
    make({ module, WebSocket }) { const R = module.default.default ?? module.default; return new R("ws://localhost/", [], { WebSocket }); } },
  { name: "partysocket", expect: ["growth-locked", "hint-ignored", "retry-fatal"], kit: page, async make() { const { WebSocket: R } = await import("partysocket"); return new R("ws://localhost/"); } },
  { name: "sockette", expect: ["bad-timeout", "fixed-locked", "hint-ignored", "no-growth", "retry-fatal"], kit: global, async make() { const { default: Sockette } = await import("sockette"); return new Sockette("ws://localhost/"); } },
  { name: "centrifuge", expect: ["hint-ignored", "retry-fatal"], kit: global, handshake: { onMessage: (d) => (d.includes('"connect"') ? JSON.stringify({ id: JSON.parse(d).id, connect: { client: "c", version: "5", ping: 25, pong: true } }) : undefined) },
    async make({ WebSocket }) { const { Centrifuge } = await import("centrifuge"); new Centrifuge("ws://localhost/", { websocket: WebSocket }).connect(); } },
  { name: "y-websocket", expect: ["bad-timeout", "growth-locked", "hint-ignored", "never-resets", "retry-fatal"], kit: global, async make({ WebSocket }) { const [{ WebsocketProvider }, Y] = await Promise.all([import("y-websocket"), import("yjs")]); new WebsocketProvider("ws://localhost", "room", new Y.Doc(), { WebSocketPolyfill: WebSocket, disableBc: true }); } },
  { name: "pusher-js", expect: ["early-reset", "fixed-locked", "growth-locked", "hint-ignored", "immediate-retry", "retry-fatal", "zero-delay"], kit: page, handshake: { onOpen: ['{"event":"pusher:connection_established","data":"{\\"socket_id\\":\\"1.1\\",\\"activity_timeout\\":120}"}'] },
    async make() { const { default: Pusher } = await import("pusher-js/worker/index.js"); new Pusher("key", { cluster: "eu", enabledTransports: ["ws"], enableStats: false }); } },
  { name: "viem", expect: ["bad-timeout", "fixed-locked", "not-observed"], kit: global, async make() { const { createPublicClient, webSocket } = await import("viem"); createPublicClient({ transport: webSocket("ws://localhost/") }).watchBlockNumber({ onBlockNumber() {}, onError() {} }); } },
  { name: "subscriptions-transport-ws", expect: ["clamp-after-jitter", "hint-ignored", "narrow-first-delay", "overflow", "retry-fatal"], kit: global, handshake: { protocol: "graphql-ws", onMessage: (d) => (d.includes("connection_init") ? '{"type":"connection_ack"}' : undefined) },
    async make({ WebSocket }) { const { SubscriptionClient } = await import("subscriptions-transport-ws"); return new SubscriptionClient("ws://localhost/", { reconnect: true }, WebSocket); } },
  { name: "tmi.js", handshake: { onMessage: (d) => (d.startsWith("NICK") ? ":tmi.twitch.tv 001 justinfan1 :Welcome, GLHF!\r\n:tmi.twitch.tv 376 justinfan1 :>\r\n" : undefined) }, expect: ["bad-timeout", "fixed-locked", "growth-locked", "hint-ignored", "retry-fatal"], kit: ws, async make() { const { default: tmi } = await import("tmi.js"); new tmi.Client({ connection: { reconnect: true, server: "localhost", port: 80, secure: false } }).connect().catch(() => {}); } },
  { name: "ioredis", expect: ["additive-constant", "narrow-first-delay", "weak-jitter"], schedule: async () => { const { default: Redis } = await import("ioredis"); const r = new Redis({ lazyConnect: true }); return (n) => r.options.retryStrategy(n); } },
  { name: "p-retry", expect: ["growth-locked"], task: async () => { const { default: pRetry } = await import("p-retry"); return (attempt) => pRetry(attempt); } },
  { name: "retry", expect: ["growth-locked"], schedule: async () => { const { default: retry } = await import("retry"); const t = retry.timeouts(); return (n) => t[n - 1]; } },
  { name: "exponential-backoff", expect: ["growth-locked"], task: async () => { const { backOff } = await import("exponential-backoff"); return (attempt) => backOff(attempt); } },
  { name: "axios-retry", expect: ["narrow-first-delay", "overflow", "weak-jitter"], schedule: async () => { const { exponentialDelay } = await import("axios-retry"); return (n) => exponentialDelay(n); } },
  { name: "web3-providers-ws", expect: ["bad-timeout", "fixed-locked", "hint-ignored", "no-growth", "retry-fatal"], kit: ws, async make() { const { default: P } = await import("web3-providers-ws"); quiet(new P("ws://localhost/")); } },
];
