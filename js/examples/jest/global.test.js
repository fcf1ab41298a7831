// A client that takes nothing as an argument: it finds its WebSocket, timers and dice among the globals, so those are
// replaced while it runs. Jest's own fake timers must be off meanwhile.
require("stormlint/jest");
const { lintClient } = require("stormlint/testkit");

function connect(attempt = 0) {
  const socket = new WebSocket("ws://example.test");
  const late = setTimeout(() => socket.close(), 15_000);
  let stable;
  socket.onopen = () => {
    clearTimeout(late);
    stable = setTimeout(() => (attempt = 0), 10_000);
  };
  socket.onclose = () => {
    clearTimeout(late);
    clearTimeout(stable);
    setTimeout(() => connect(attempt + 1), Math.random() * Math.min(60_000, 5_000 * 2 ** Math.min(attempt, 10)));
  };
}

test("our own client comes back safely", async () => {
  expect(await lintClient(() => connect(), { global: true })).toBeStormSafe();
}, 30_000);
