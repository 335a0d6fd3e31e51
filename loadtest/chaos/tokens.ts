import { setTimeout as pause } from "node:timers/promises";
import { adminLogin } from "./cluster.ts";
import type { Outcome } from "./journal.ts";
import type { Person } from "./person.ts";
import type { World } from "./world.ts";

/** Before a token expires by the clock of any process: it works for 15 minutes, and clocks may be 10 minutes apart. */
const renewEveryMs = 3 * 60_000;
const [triesMax, retryMs] = [10, 500];

/** Renews the tokens of everyone, if they are due. Called when every process serves. */
export async function renewTokens(world: World): Promise<void> {
  if (performance.now() - world.renewedMs < renewEveryMs) return;
  world.renewedMs = performance.now();
  await Promise.all([renewAdmin(world), ...world.people.map((person) => renew(world, person))]);
}

async function renew(world: World, person: Person): Promise<void> {
  const body = { refreshToken: person.account.refreshToken };
  const { accessToken: token, refreshToken } = await insist<{ accessToken: string; refreshToken: string }>(() =>
    world.call(person.dice.pick(world.cluster.nodes), "post", "/auth/refresh", { body }),
  );
  person.account = { ...person.account, token, refreshToken };
}

async function renewAdmin(world: World): Promise<void> {
  const [node] = world.cluster.nodes;
  ({ token: world.adminToken } = await insist<{ token: string }>(() =>
    world.call(node!, "post", "/admin/login", { body: adminLogin }),
  ));
}

/** Repeats a call until it succeeds. */
async function insist<T>(call: () => Promise<Outcome>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await call();
    if (outcome.kind === "done") return outcome.data as T;
    if (tries === triesMax) throw new Error(`no new token: ${outcome.code}`);
    await pause(retryMs);
  }
}
