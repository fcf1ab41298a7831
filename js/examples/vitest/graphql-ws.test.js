import { createClient } from "graphql-ws";
import { expect, test } from "vitest";
import "stormlint/vitest";
import { lintClient } from "stormlint/testkit";

const handshake = { protocol: "graphql-transport-ws", onMessage: (text) => (text.includes("connection_init") ? '{"type":"connection_ack"}' : undefined) };

test("graphql-ws comes back safely", async () => {
  const client = ({ WebSocket }) => createClient({ url: "ws://example.test", webSocketImpl: WebSocket, lazy: false, onNonLazyError() {} });
  expect(await lintClient(client, { global: true, handshake })).toBeStormSafe({ allow: { "bad-timeout": "our gateway answers or refuses within seconds" } });
}, 30_000);
