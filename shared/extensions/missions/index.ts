import {
  coins,
  count,
  defineExtension,
  type EventHandler,
  exampleIds,
  flag,
  fundCause,
  fundRoute,
  type Hub,
  id,
  integer,
  line,
  listOf,
  object,
  oneOf,
  type Parts,
  payment,
  spend,
  type UserPrincipal,
  userRoute,
} from "#shared/extension/index.ts";
import { texts } from "./texts.ts";
import { claiming } from "./workload.ts";

// biome-ignore lint/suspicious/noExplicitAny: payloads of domain events differ.
type Payload = any;

/** The domain events that count: for whom, and what each is told apart by. */
const counted: Readonly<Record<string, (payload: Payload) => readonly [userId: string, key: string]>> = {
  "gift.sent": ({ transaction }) => [transaction.sender.id, transaction.id],
  "post.created": ({ author_id, post_id }) => [author_id, post_id],
  "room.opened": ({ host_id, room_id }) => [host_id, room_id],
  "user.followed": ({ follower_id, followed_id }) => [follower_id, `${follower_id} ${followed_id}`],
};
const kinds = Object.keys(counted);

/** Days are those of UTC. */
const today = "(now() AT TIME ZONE 'UTC')::date";
const checkIn = "check_in";

const taskFields = {
  title: line(1, 60, "Send three gifts"),
  kind: oneOf(...kinds).description("The domain event that counts."),
  goal: integer(1, 1000, 3),
  coins: integer(1, 100_000, 20),
};
const taskView = object({ id: id(exampleIds.gift), ...taskFields, progress: count(2), claimed: flag(false) });
const missionsView = object({
  checked_in: flag(false),
  tasks: listOf(taskView.meta({ name: "MissionTask" })),
}).meta({ name: "Missions" });
const rewardView = object({ coins: coins(20) }).meta({ name: "MissionReward" });

const countEvents = (kind: string): EventHandler => {
  return async (tx, events) => {
    const rows = events.map((event) => counted[kind]!(event));
    await tx.query(
      `INSERT INTO ext_missions.counted (kind, key, user_id, day)
       SELECT $1, key, user_id, ${today} FROM unnest($2::text[], $3::uuid[]) AS event (key, user_id)
       ON CONFLICT DO NOTHING`,
      [kind, rows.map(([, key]) => key), rows.map(([userId]) => userId)],
    );
  };
};

const settings = {
  missions_check_in_coins: {
    schema: integer(1, 10_000, 5),
    fallback: 5,
    description: "The coins of a daily check-in.",
  },
};

const errors = {
  MISSIONS_CLAIMED: { status: 409, meaning: "You have this reward already.", remedy: "Come back tomorrow." },
  MISSIONS_INCOMPLETE: { status: 409, meaning: "This mission isn't complete.", remedy: "Show its progress." },
  MISSIONS_EMPTY: {
    status: 409,
    meaning: "There are no rewards left. Try again later.",
    remedy: "An administrator must fund the missions.",
  },
};

const causes = {
  fund: fundCause("missions", "missions"),
  reward: {
    title: "Reward of a mission",
    entries: `SELECT id, account, amount FROM ext_missions.rewards
        CROSS JOIN LATERAL (VALUES (user_id::text, coins), ('ext_missions', -coins)) AS e (account, amount)`,
  },
};

const records: Parts["records"] = [
  {
    ...{ table: "missions_tasks", name: "missions_task", one: "a mission", many: "missions" },
    fields: {
      title: { column: "text", schema: taskFields.title },
      kind: { column: "text", schema: taskFields.kind },
      goal: { column: "integer", schema: taskFields.goal },
      coins: { column: "bigint", schema: taskFields.coins },
    },
    ...{ search: ["title"], sorts: ["-created_at", "coins"] },
  },
];

const routes = (hub: Hub) => [
  userRoute({
    id: "listMissions",
    method: "get",
    path: "/missions",
    summary: "List your missions",
    description: "Those of today, in UTC.",
    response: missionsView,
    handler: ({ caller }) => missionsOf(hub, caller.userId),
  }),
  userRoute({
    id: "checkIn",
    method: "post",
    path: "/missions/check-in",
    summary: "Check in for today",
    response: rewardView,
    errors: ["MISSIONS_CLAIMED", "MISSIONS_EMPTY"],
    handler: ({ caller }) => reward(hub, caller, checkIn, hub.setting<number>("missions_check_in_coins")),
  }),
  userRoute({
    id: "claimMission",
    method: "post",
    path: "/missions/:id/claims",
    summary: "Claim a mission's reward",
    params: object({ id: id(exampleIds.gift) }),
    response: rewardView,
    errors: ["MISSIONS_CLAIMED", "MISSIONS_INCOMPLETE", "MISSIONS_EMPTY"],
    handler: async ({ caller, params }) => {
      const task = (await missionsOf(hub, caller.userId)).tasks.find((one) => one.id === params.id);
      if (!task) throw hub.error("NOT_FOUND");
      if (task.progress < task.goal) throw hub.error("MISSIONS_INCOMPLETE");
      return reward(hub, caller, task.id, task.coins);
    },
  }),
];

export default defineExtension("missions", (hub) => ({
  summary: "A daily check-in and daily missions, rewarded from a budget.",
  texts,
  settings,
  errors,
  causes,
  records,
  after: { events: Object.fromEntries(kinds.map((kind) => [kind, countEvents(kind)])) },
  jobs: {
    // An event may still be repeated for some days.
    prune: {
      cron: "10 2 * * *",
      run: () =>
        hub.transaction(async (tx) => {
          await tx.query(`DELETE FROM ext_missions.counted WHERE day < ${today} - 7`);
        }),
    },
  },
  routes: [...routes(hub), fundRoute(hub, "missions", "missions")],
  erase: async (tx, userId) =>
    (await tx.query("DELETE FROM ext_missions.counted WHERE user_id = $1 RETURNING 1", [userId])).length,
  exports: {
    counted: "SELECT kind, key, day FROM ext_missions.counted WHERE user_id = $1 ORDER BY day, kind, key",
    rewards: "SELECT day, mission, coins FROM ext_missions.rewards WHERE user_id = $1 ORDER BY day, mission",
  },
  workloads: { claiming },
}));

interface Task {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly goal: number;
  readonly coins: number;
  readonly progress: number;
  readonly claimed: boolean;
}

async function missionsOf(hub: Hub, userId: string): Promise<{ checked_in: boolean; tasks: Task[] }> {
  const rewards = await hub.query<{ mission: string }>(
    `SELECT mission FROM ext_missions.rewards WHERE user_id = $1 AND day = ${today}`,
    [userId],
  );
  const tasks = await hub.query<Task & Record<string, unknown>>(
    `SELECT id, title, kind, goal, coins, (SELECT count(*) FROM ext_missions.counted c
       WHERE c.user_id = $1 AND c.day = ${today} AND c.kind = t.kind) AS progress,
       id::text = ANY ($2) AS claimed
     FROM ext_missions.missions_tasks t ORDER BY created_at, id LIMIT 100`,
    [userId, rewards.map(({ mission }) => mission)],
  );
  return { checked_in: rewards.some(({ mission }) => mission === checkIn), tasks };
}

/** Pays a reward once a day. The budget never goes below zero. */
const reward = (hub: Hub, caller: UserPrincipal, mission: string, amount: number): Promise<{ coins: number }> =>
  hub.transaction(async (tx) => {
    const { userId } = caller;
    const rewardId = hub.newId();
    const [first] = await tx.query(
      `INSERT INTO ext_missions.rewards (id, user_id, day, mission, coins) VALUES ($1, $2, ${today}, $3, $4)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [rewardId, userId, mission, amount],
    );
    if (!first) throw hub.error("MISSIONS_CLAIMED");
    if (!(await spend(tx, "missions", amount))) throw hub.error("MISSIONS_EMPTY");
    await tx.transfer({
      cause: "reward",
      id: rewardId,
      by: caller,
      description: "Mission",
      entries: payment(userId, amount),
    });
    return { coins: amount };
  });
