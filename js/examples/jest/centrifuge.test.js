require("stormlint/jest");
const { Centrifuge } = require("centrifuge");
const { lintClient } = require("stormlint/testkit");

const handshake = { onMessage: (text) => (text.includes('"connect"') ? JSON.stringify({ id: JSON.parse(text).id, connect: { client: "c", version: "6", ping: 25, pong: true } }) : undefined) };

test("centrifuge comes back safely", async () => {
  const client = ({ WebSocket }) => new Centrifuge("ws://example.test", { websocket: WebSocket }).connect();
  expect(await lintClient(client, { global: true, handshake })).toBeStormSafe();
}, 30_000);
