/**
 * Makes `import 'ws'` and `require('ws')` give the kit's double, for clients that choose their WebSocket themselves.
 * Node only. The replacement stays for the process: outside a run of the kit, constructing it throws.
 */
import * as nodeModule from "node:module";
import { StageSocket } from "./stage.js";
import { createWebSocketStream } from "./ws-stream.js";

const key = Symbol.for("stormlint.testkit.ws");
let installed = false;

/** Replaces the module ws, once. */
export function replaceWs(): void {
  if (installed) return;
  installed = true;
  const socket = StageSocket as Record<string, unknown>;
  const exported = new Proxy(socket, {
    get: (target, name) => {
      if (name === "WebSocket" || name === "default") return exported;
      return name === "createWebSocketStream" ? createWebSocketStream : Reflect.get(target, name);
    },
  });
  (globalThis as Record<symbol, unknown>)[key] = exported;
  // For require: Node has no public hook for it in version 20.
  const loader = nodeModule.Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  loader._load = function (request, ...rest) {
    return request === "ws" ? exported : load.call(this, request, ...rest);
  };
  // For import: a hook in the loader's thread, which can only answer with source text.
  const source = `const WebSocket = globalThis[Symbol.for('stormlint.testkit.ws')];
export default WebSocket; export { WebSocket }; export const createWebSocketStream = WebSocket.createWebSocketStream, Server = undefined, WebSocketServer = undefined, Receiver = undefined, Sender = undefined;`;
  const hook = `export async function resolve(specifier, context, next) {
  if (specifier === 'ws') return { url: ${JSON.stringify("data:text/javascript," + encodeURIComponent(source))}, format: 'module', shortCircuit: true };
  return next(specifier, context);
}`;
  nodeModule.register("data:text/javascript," + encodeURIComponent(hook));
}
