import { loadSync, type Advice, type Outcome, type Plan, type Simulation } from "stormlint";
import { load as loadGo } from "stormlint/gojs";

const s = loadSync();
const simulation: Simulation = s.simulate({ clients: 1000, capacity: 50, policy: ["full:1s:30s", { policy: "window", window_ms: 25_000 }], restart: { nodes: 3, every_ms: 1000, down_ms: 500 } });
export const last: number | null | undefined = simulation.results[0]?.recovery.last_ms;
const advice: Advice = s.recommend({ clients: 1000, capacity: 50, tight: true });
export const nginx: string | undefined = advice.snippets.nginx;
const plan: Plan = s.sniff(new Uint8Array());
s.analyzer({}, { source: 0, index: 1, plan });
export const go = await (await loadGo()).analyze("[]");
// @ts-expect-error: the recommender knows no drops
s.recommend({ clients: 1, capacity: 1, drops: [] });
// @ts-expect-error: a scenario has clients, not users
s.simulate({ users: 3 });
export type Check = Outcome["groups"][number]["recovery"]["gave_up"];
