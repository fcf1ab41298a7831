/**
 * stormlint/guard: the token bucket at the door of a Node gateway. No dependency, no wasm.
 *
 *     import { Guard } from 'stormlint/guard';
 *     const guard = new Guard({ mode: 'enforce', key: 'direct', rate: 2, burst: 5, fleetRate: 225 });
 *     server.on('upgrade', (request, socket, head) => {
 *       const verdict = guard.decide(request);
 *       if (verdict.refused) return guard.refuse(socket, verdict);
 *       wss.handleUpgrade(request, socket, head, (ws) => wss.emit('connection', ws, request));
 *     });
 *
 * For browsers, which cannot see a status, accept and say it in a close frame instead:
 *
 *       wss.handleUpgrade(request, socket, head, (ws) =>
 *         verdict.refused ? ws.close(1013, verdict.reason) : wss.emit('connection', ws, request));
 */
export { Guard } from "./guard.js";
export type { GuardOptions, Knock, Verdict, Wire } from "./guard.js";
export { Bucket } from "./bucket.js";
export { Table } from "./table.js";
export { Door, type Gate } from "./door.js";
export { Queue } from "./queue.js";
export { hash } from "./hash.js";
export { atMost, never, Rule, type Decision, type Limit } from "./rule.js";
