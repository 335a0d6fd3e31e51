import { checkInput } from "#shared/contracts/check-input.ts";
import { integer, line, object } from "#shared/contracts/fields.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { guarded, hooksOf, setHookTargets, setHttpHooks } from "#shared/extension/hooks.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type RawCall, routeOf } from "../api/http/route.ts";
import { runHooked } from "../api/http/run-hooked.ts";
import { judge, median } from "./report.ts";

interface Options {
  readonly calls: number;
  readonly rounds: number;
}

const [noneMax, hookMaxMicros] = [1.01, 5];
const target = "operation:throwConfetti" as const;

/** An operation that does nothing but check its input, as that of a gift: what hooks cost is the most of it. */
const route = routeOf(
  "Confetti",
  "user",
)({
  id: "throwConfetti",
  method: "post",
  path: "/confetti/:id",
  summary: "Throw confetti",
  params: object({ id: line(1, 60, "room") }),
  body: object({ gift_id: line(1, 60, "gift"), recipient_id: line(1, 60, "user"), quantity: integer(1, 99, 1) }),
  response: object({}),
  handler: async () => ({}),
});

const caller: UserPrincipal = { kind: "user", userId: newId(), sessionId: newId(), expiresAtMs: Number.MAX_VALUE };
const call: RawCall = {
  req: { params: { id: newId() }, query: {}, headers: {} } as never,
  requestId: newId(),
  caller,
  body: { gift_id: newId(), recipient_id: newId(), quantity: 3 },
  check: checkInput,
  language: async () => "en",
};

/** Returns the CPU time of this process for a call, microseconds. */
async function perCall(calls: number, run: () => Promise<unknown>): Promise<number> {
  const { user, system } = process.cpuUsage();
  for (let index = 0; index < calls; index += 1) await run();
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / calls;
}

/** As `mount` runs an operation. */
const asMounted = () => {
  const hooks = hooksOf(`operation:${route.id}`);
  return hooks ? runHooked(hooks, route, call) : route.run(call);
};

/**
 * Measures what hooks cost an operation: none, and one in the process, in turn with the same operation alone. Fails
 * if a target is missed.
 */
export async function hooks({ calls, rounds }: Options): Promise<void> {
  setHookTargets(new Set([target]));
  const hook = guarded({ name: "bench", isOn: () => true, failure: "closed", run: () => undefined });
  const [none, hooked, alone]: [number[], number[], number[]] = [[], [], []];
  // The first round only warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const bare = await perCall(calls, () => route.run(call));
    const without = await perCall(calls, asMounted);
    setHttpHooks([["before", target, hook]]);
    const withOne = await perCall(calls, asMounted);
    setHttpHooks([]);
    if (round === 0) continue;
    alone.push(bare);
    none.push(without / bare);
    hooked.push(withOne - without);
  }
  judge(
    `no hook: ${median(none).toFixed(3)} × an operation that only checks its input, of ${median(alone).toFixed(1)} µs (target: at most ${noneMax})`,
    median(none) <= noneMax,
  );
  judge(
    `a hook in the process: ${median(hooked).toFixed(1)} µs (target: at most ${hookMaxMicros})`,
    median(hooked) <= hookMaxMicros,
  );
}
