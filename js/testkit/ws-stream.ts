import { Duplex } from "node:stream";

interface Emitter {
  readonly readyState: number;
  on(type: string, listener: (...args: any[]) => void): void;
  once(type: string, listener: (...args: any[]) => void): void;
  send(data: unknown, done: (error?: Error) => void): void;
  close(): void;
  terminate(): void;
}

/** What the package ws offers under this name: a connection as a duplex stream, for clients such as MQTT over WebSocket. */
export function createWebSocketStream(socket: Emitter, options: object = {}): Duplex {
  let ended = socket.readyState === 3;
  const stream = new Duplex({
    ...options,
    autoDestroy: false,
    emitClose: false,
    read() {},
    write(chunk, _encoding, done) {
      if (socket.readyState === 0) socket.once("open", () => socket.send(chunk, done));
      else socket.send(chunk, done);
    },
    final(done) {
      socket.close();
      done();
    },
    destroy(error, done) {
      const finish = (): void => {
        done(error);
        process.nextTick(() => stream.emit("close"));
      };
      if (ended) return finish();
      socket.once("close", finish);
      socket.terminate();
    },
  });
  socket.on("message", (data: Buffer) => void stream.push(data));
  socket.once("error", (error: Error) => void (stream.destroyed || stream.destroy(error)));
  socket.once("close", () => {
    ended = true;
    if (!stream.destroyed) stream.push(null);
    if (!stream.destroyed) stream.destroy();
  });
  return stream;
}
