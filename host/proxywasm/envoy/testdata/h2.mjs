// Opens WebSockets over HTTP/2 by extended CONNECT (RFC 8441) on one connection: node h2.mjs PORT COUNT. Prints a JSON line
// for each: the status, retry-after, and whether the tunnel echoes a message.
import http2 from "node:http2";

const [port, count] = process.argv.slice(2).map(Number);
const session = http2.connect(`http://127.0.0.1:${port}`, { localAddress: "127.0.8.1" });
await new Promise((ok) => session.once("remoteSettings", ok));
if (!session.remoteSettings.enableConnectProtocol) throw new Error("no extended CONNECT");
for (let i = 0; i < count; i++) {
  const stream = session.request({ ":method": "CONNECT", ":protocol": "websocket", ":path": "/ws", ":scheme": "http", ":authority": "example.org",
    "sec-websocket-version": "13", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" }, { endStream: false });
  const headers = await new Promise((ok, no) => stream.once("response", ok).once("error", no));
  let echo = false;
  if (headers[":status"] === 200) {
    stream.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])); // "hi", masked with zeros
    const data = await new Promise((ok) => stream.once("data", ok));
    echo = data.includes("hi");
  }
  console.log(JSON.stringify({ status: headers[":status"], retryAfter: headers["retry-after"], echo }));
}
session.destroy();
