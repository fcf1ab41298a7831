/** The real functions, taken before anybody can replace them. */
export const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  setImmediate: (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate,
  Date: globalThis.Date,
  random: Math.random,
};

/** Lets everything that is ready run: promise callbacks, process.nextTick and what they start. No real time passes. */
export function turn(): Promise<void> {
  return new Promise((done) => {
    if (real.setImmediate) real.setImmediate(done);
    else {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        done();
      };
      channel.port2.postMessage(0);
    }
  });
}
