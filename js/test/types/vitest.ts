import { expect } from "vitest";
import "stormlint/vitest";
import { lintClient, lintSchedule, type Verdict } from "stormlint/testkit";
import { ReconnectingSocket } from "stormlint/reconnect";

const verdict: Verdict = await lintClient(({ WebSocket, random }) => new ReconnectingSocket("wss://example.test", undefined, { WebSocket, random }), { global: true });
expect(verdict).toBeStormSafe();
expect("full:1s:30s").toBeStormSafe({ clients: 100, capacity: 10, allow: { "cap-too-small": "a test" } });
expect([[1, 2, 3]]).not.toHaveNoFinding("growth-locked");
await expect(lintSchedule((attempt) => attempt * 1000)).resolves.toBeStormSafe();
// @ts-expect-error: a level that is none
expect(verdict).toBeStormSafe({ failOn: "disaster" });
// @ts-expect-error: a rule is needed
expect(verdict).toHaveNoFinding();
