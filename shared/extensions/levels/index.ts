import {
  coins,
  defineExtension,
  type EventHandler,
  exampleIds,
  type Hub,
  type HubTx,
  id,
  integer,
  Joi,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  type Parts,
  roomEvents,
  type SentGift,
  url,
  userRoute,
} from "#shared/extension/index.ts";
import { texts } from "./texts.ts";

const kinds = ["giving", "hosting"] as const;
type Kind = (typeof kinds)[number];

const stepFields = {
  kind: oneOf(...kinds).description("`giving`: coins of the gifts that a user sends. `hosting`: those in their rooms."),
  level: integer(1, 1000, 3),
  coins: integer(1, 1_000_000_000_000, 1000).description("From how many coins on."),
  title: line(1, 60, "Silver"),
  badge_url: url("https://cdn.example.com/badges/silver.png"),
};
const reached = { level: stepFields.level, title: stepFields.title, badge_url: stepFields.badge_url };
const levelView = object(reached).meta({ name: "Level" });
const userLevels = object({
  user_id: id(exampleIds.grace),
  giving: nullable(levelView).description("Null below the first level."),
  hosting: nullable(levelView),
}).meta({ name: "UserLevels" });
const ownLevels = object({
  steps: listOf(object(stepFields)).description("All levels, in order."),
  giving_coins: coins(1200).description("What you have given so far."),
  hosting_coins: coins(400),
}).meta({ name: "OwnLevels" });

const reachedFields = {
  ...{ user_id: id(exampleIds.grace), room_id: id(exampleIds.room), kind: oneOf(...kinds) },
  ...reached,
};

const records: Parts["records"] = [
  {
    ...{ table: "levels_steps", name: "levels_step", one: "a level", many: "levels" },
    fields: {
      kind: { column: "text", schema: stepFields.kind },
      level: { column: "integer", schema: stepFields.level },
      coins: { column: "bigint", schema: stepFields.coins },
      title: { column: "text", schema: stepFields.title },
      badge_url: { column: "text", schema: stepFields.badge_url },
    },
    ...{ search: ["title"], sorts: ["coins", "level", "-created_at"] },
  },
];

interface Sum {
  readonly userId: string;
  readonly kind: Kind;
  readonly roomId: string;
  coins: number;
}

/** Adds gifts up by user and kind. A host's gifts in their own room are giving, not hosting. */
function sumsOf(gifts: Iterable<SentGift>): Sum[] {
  const sums = new Map<string, Sum>();
  const add = (userId: string, kind: Kind, { room_id: roomId, coins: more }: SentGift) => {
    const key = `${userId} ${kind}`;
    const sum = sums.get(key) ?? { userId, kind, roomId, coins: 0 };
    sum.coins += more;
    sums.set(key, sum);
  };
  for (const gift of gifts) {
    add(gift.sender_id, "giving", gift);
    if (gift.host_id !== gift.sender_id) add(gift.host_id, "hosting", gift);
  }
  // In one order, so that batches don't deadlock.
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

/** Counts gifts, each once however often its event is handled. */
const countGifts =
  (hub: Hub): EventHandler =>
  async (tx, events) => {
    const ids = events.map(({ transaction }) => (transaction as { id: string }).id).sort();
    const fresh = await tx.query<{ id: string }>(
      "INSERT INTO ext_levels.counted (id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING RETURNING id",
      [ids],
    );
    const gifts = await hub.gifts(fresh.map(({ id: giftId }) => giftId));
    for (const sum of sumsOf(gifts.values())) await addUp(tx, sum);
  };

/** Step: adds to a user's coins. Tells them, and the room of the gift, of a new level. */
async function addUp(tx: HubTx, { userId, kind, roomId, coins: more }: Sum): Promise<void> {
  const [total] = await tx.query<{ coins: number; level: number }>(
    `INSERT INTO ext_levels.totals AS t (user_id, kind, coins) VALUES ($1, $2, $3)
     ON CONFLICT (user_id, kind) DO UPDATE SET coins = t.coins + $3 RETURNING coins, level`,
    [userId, kind, more],
  );
  const [step] = await tx.query<{ level: number; title: string; badge_url: string }>(
    `SELECT level, title, badge_url FROM ext_levels.levels_steps
     WHERE kind = $1 AND coins <= $2 AND level > $3 ORDER BY level DESC LIMIT 1`,
    [kind, total!.coins, total!.level],
  );
  if (!step) return;
  const { level, title } = step;
  await tx.query("UPDATE ext_levels.totals SET level = $3 WHERE user_id = $1 AND kind = $2", [userId, kind, level]);
  await tx.publish("levels.reached", { user_id: userId, room_id: roomId, kind, ...step });
  const body =
    kind === "giving"
      ? "You have reached level {{level}} of giving: {{title}}."
      : "You have reached level {{level}} of hosting: {{title}}.";
  await tx.notify(userId, { key: `${kind}:${level}`, title: "A new level", body, values: { level, title } });
}

const usersMax = 100;
const idList = Joi.string()
  .custom((text: string, helpers) => {
    const { value, error } = listOf(id()).min(1).max(usersMax).validate(text.split(","));
    return error ? helpers.error("any.invalid") : value;
  })
  .example(exampleIds.grace) as unknown as Joi.AnySchema<string[]>;

const routes = (hub: Hub) => [
  userRoute({
    id: "getOwnLevels",
    method: "get",
    path: "/levels/own",
    summary: "Get your levels",
    response: ownLevels,
    handler: async ({ caller }) => {
      const steps = await hub.query<object>(
        "SELECT kind, level, coins, title, badge_url FROM ext_levels.levels_steps ORDER BY kind, level LIMIT 2000",
      );
      const totals = await hub.query<{ kind: Kind; coins: number }>(
        "SELECT kind, coins FROM ext_levels.totals WHERE user_id = $1",
        [caller.userId],
      );
      const of = (kind: Kind) => totals.find((total) => total.kind === kind)?.coins ?? 0;
      return { steps: steps as never, giving_coins: of("giving"), hosting_coins: of("hosting") };
    },
  }),
  userRoute({
    id: "listLevels",
    method: "get",
    path: "/levels",
    summary: "List users' levels",
    description: `The badges of up to ${usersMax} users, such as those in a room: IDs, separated by commas.`,
    query: object({ user_ids: idList }),
    response: listOf(userLevels),
    handler: async ({ query: { user_ids } }) => {
      const found = await hub.query<{ user_id: string; kind: Kind } & Record<string, never>>(
        `SELECT t.user_id, s.kind, s.level, s.title, s.badge_url FROM ext_levels.totals t
         JOIN ext_levels.levels_steps s ON s.kind = t.kind AND s.level = t.level WHERE t.user_id = ANY ($1::uuid[])`,
        [user_ids],
      );
      const users = await hub.users(user_ids);
      const levelOf = (userId: string, wanted: Kind) => {
        const row = found.find(({ user_id, kind }) => user_id === userId && kind === wanted);
        return row ? { level: row.level!, title: row.title!, badge_url: row.badge_url! } : null;
      };
      return [...users.keys()].map((user_id) => ({
        ...{ user_id, giving: levelOf(user_id, "giving"), hosting: levelOf(user_id, "hosting") },
      }));
    },
  }),
];

export default defineExtension("levels", (hub) => ({
  summary: "Levels of giving and of hosting, with badges, by the coins of gifts.",
  texts,
  records,
  ...roomEvents({ "levels.reached": { summary: "A user reached a level", fields: reachedFields } }),
  after: { events: { "gift.sent": countGifts(hub) } },
  jobs: {
    // An event may still be repeated for some days.
    prune: {
      cron: "20 2 * * *",
      run: () =>
        hub.transaction(async (tx) => {
          await tx.query("DELETE FROM ext_levels.counted WHERE day < current_date - 7");
        }),
    },
  },
  routes: routes(hub),
  erase: async (tx, userId) =>
    (await tx.query("DELETE FROM ext_levels.totals WHERE user_id = $1 RETURNING 1", [userId])).length,
  exports: { totals: "SELECT kind, coins, level FROM ext_levels.totals WHERE user_id = $1 ORDER BY kind" },
}));
