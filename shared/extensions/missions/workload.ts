import { defineWorkload } from "#shared/extension/index.ts";

interface Missions {
  readonly checked_in: boolean;
  readonly tasks: readonly { id: string; goal: number; progress: number; claimed: boolean }[];
}

/** Users check in, and claim the missions that they have completed. */
export const claiming = defineWorkload({
  summary: "users check in, send gifts, and claim the rewards of missions",
  prepare: async ({ admin }) => {
    await admin("post", "/missions/funds", { coins: 10_000 });
    await admin("post", "/missions-tasks", { title: "Send a gift", kind: "gift.sent", goal: 1, coins: 3 });
  },
  place: () => undefined,
  act: async (person) => {
    const listed = await person.call<Missions>("get", "/missions");
    if (!listed.ok) return;
    const { checked_in, tasks } = listed.data;
    const task = tasks.find(({ claimed }) => !claimed);
    if (!checked_in) await person.call("post", "/missions/check-in");
    else if (task && task.progress >= task.goal) await person.call("post", `/missions/${task.id}/claims`);
    else if (task) await person.give();
  },
  expected: ["MISSIONS_CLAIMED", "MISSIONS_INCOMPLETE", "MISSIONS_EMPTY", "INSUFFICIENT_BALANCE"],
  invariants: {
    "The budget of missions is what was put into it, less the rewards.": `
      SELECT coins FROM ext_missions.budget WHERE coins <> (SELECT coalesce(sum(coins), 0) FROM ext_missions.funds)
        - (SELECT coalesce(sum(coins), 0) FROM ext_missions.rewards)`,
  },
});
