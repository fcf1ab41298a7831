// A reconnecting WebSocket client without packages, for Node 20 or later: node client.mjs ws://127.0.0.1:9080/
// Full jitter: before attempt k it waits between 0 and min(30 s, 1 s · 2^(k-1)).
import http from 'node:http';
import { randomBytes } from 'node:crypto';

const uri = new URL(process.argv[2] ?? process.env.STORMLINT_URI);
let failures = 0;

function connect() {
  const request = http.get({
    host: uri.hostname, port: uri.port, path: uri.pathname, agent: false, timeout: 10_000,
    headers: { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': randomBytes(16).toString('base64') },
  });
  let over = false; // one attempt has one end
  const again = () => {
    if (over) return;
    over = true;
    setTimeout(connect, Math.random() * Math.min(30_000, 1_000 * 2 ** failures++));
  };
  request.on('upgrade', (_response, socket) => {
    failures = 0;
    socket.on('close', again).on('error', () => {}).resume(); // what the server says is nothing to this client
  });
  request.on('response', (response) => { response.resume(); again(); }); // 503 and the like
  request.on('timeout', () => request.destroy()).on('error', again);
}
connect();
