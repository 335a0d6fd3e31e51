import {
  coins,
  count,
  defineExtension,
  exampleIds,
  fundCause,
  fundRoute,
  type Hub,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  type Parts,
  roomEvents,
  time,
  userRoute,
} from "#shared/extension/index.ts";
import { changeSeed, drawForGifts, findDraw, viewPool } from "./draw.ts";
import { oddsSchema, outOf } from "./odds.ts";
import { drawing } from "./workload.ts";

const name = "lucky_gifts";
const exampleTime = "2026-01-01T00:00:00.000Z";
const seedFields = {
  seed_hash: line(64, 64, "9f".repeat(32)).description("SHA-256 of the seed, hexadecimal."),
  seed: nullable(line(64, 64, "3c".repeat(32))).description("Null while gifts are drawn from it."),
};
const seedView = object({
  ...{ ...seedFields, draws: count(120), opened_at: time(exampleTime), closed_at: nullable(time(exampleTime)) },
}).meta({ name: "LuckyGiftSeed" });

const luckyView = object({
  odds: listOf(object({ times: integer(1, 9999, 5), chance: integer(1, outOf, 10_000) })).description(
    "What a draw can win, and its chance out of 1,000,000. The outcomes share the numbers from 0 in this order.",
  ),
  returned: integer(0, outOf, 400_000).description("What comes back of all stakes in the long run, out of 1,000,000."),
  pool_percent: integer(0, 100, 40),
  pool: coins(10_000).description("What wins are paid from."),
  floor: coins(0),
  gift_ids: listOf(id(exampleIds.gift)),
  seeds: listOf(seedView).description("The newest first. Gifts are drawn from the first, which is open."),
}).meta({ name: "LuckyGifts" });

const drawView = object({
  gift_transaction_id: id(exampleIds.giftTransaction),
  stake: coins(30).description("The bought coins of the gift."),
  times: integer(0, 9999, 5),
  coins: coins(150).description("What was won."),
  place: nullable(count(7)).description("The draw's number among those of the seed. Null if nothing was drawn."),
  number: nullable(integer(0, outOf - 1, 152_000)),
  odds: listOf(line(3, 20, "5:10000")).description("The odds that held."),
  ...{ seed_hash: nullable(seedFields.seed_hash), seed: seedFields.seed },
}).meta({ name: "LuckyGiftDraw" });

const wonFields = {
  ...{ gift_transaction_id: id(exampleIds.giftTransaction), room_id: id(exampleIds.room), user_id: id() },
  ...{ times: integer(1, 9999, 5), coins: coins(150) },
};

const settings: Parts["settings"] = {
  lucky_gifts_odds: {
    schema: oddsSchema,
    fallback: ["1:100000", "2:50000", "5:10000", "10:5000", "50:1000", "500:100"],
    description:
      "What a draw can win: entries such as `5:10000`, five times the stake with a chance of 10,000 out of 1,000,000. Chances add up to 1,000,000 at most, and what comes back is at most what is staked.",
  },
  lucky_gifts_pool_percent: {
    schema: integer(0, 100, 40),
    fallback: 40,
    description:
      "How much of a lucky gift's bought coins goes into the pool, in percent: at most what the house keeps of the gift.",
  },
  lucky_gifts_floor: {
    schema: integer(0, 1_000_000_000, 0),
    fallback: 0,
    description: "What the pool keeps. Nothing is drawn while it couldn't pay the greatest win on top.",
  },
};

const causes: Parts["causes"] = {
  fund: fundCause(name, "lucky gifts"),
  draw: {
    title: "Lucky gift",
    entries: `SELECT id, account, amount FROM ext_lucky_gifts.draws
        CROSS JOIN LATERAL (VALUES ('gift_revenue', -contribution), ('ext_lucky_gifts', contribution - coins),
          (user_id::text, coins)) AS e (account, amount) WHERE amount <> 0`,
  },
};

const records: Parts["records"] = [
  {
    ...{ table: "lucky_gifts_gifts", name: "lucky_gifts_gift", one: "a lucky gift", many: "lucky gifts" },
    fields: { gift_id: { column: "uuid", schema: id(exampleIds.gift).description("A gift of the catalogue.") } },
    ...{ search: [], sorts: ["-created_at"] },
  },
];

const routes = (hub: Hub) => [
  userRoute({
    id: "getLuckyGifts",
    method: "get",
    path: "/lucky-gifts",
    summary: "Get the lucky gifts",
    description: "The odds, the pool, and the seeds, whose hashes are public before gifts are drawn from them.",
    response: luckyView,
    handler: () => viewPool(hub),
  }),
  userRoute({
    id: "getLuckyDraw",
    method: "get",
    path: "/lucky-gifts/draws/:id",
    summary: "Get a lucky draw",
    description:
      "The draw for a gift of yours, by the ID of its transaction, a moment after it was sent. The number is made of the seed and the place as those of games are: repeat it when the seed is public.",
    params: object({ id: id(exampleIds.giftTransaction) }),
    response: drawView,
    handler: ({ caller, params }) => findDraw(hub, params.id, caller.userId),
  }),
  fundRoute(hub, name, "lucky gifts"),
];

export default defineExtension(name, (hub) => ({
  summary: "Gifts that win their sender a multiple of the price, by public odds, from a pool.",
  ...{ settings, causes, records },
  ...roomEvents({ "lucky_gifts.won": { summary: "A lucky gift won", fields: wonFields } }),
  after: { events: { "gift.sent": drawForGifts(hub) } },
  jobs: { change_seed: { cron: "0 0 * * *", run: () => changeSeed(hub) } },
  routes: routes(hub),
  // What is left of an erased user are IDs and amounts, as in the ledger.
  exports: { draws: "SELECT id, stake, times, coins FROM ext_lucky_gifts.draws WHERE user_id = $1 ORDER BY id" },
  workloads: { drawing },
}));
