import { type EventHandler, type Hub, type HubTx, newSeed, type SentGift } from "#shared/extension/index.ts";
import { drawTimes, type Outcome, readOdds, returned, topOf } from "./odds.ts";

/** The open seed, and the pool above its floor. Both are locked: draws take turns. */
type Table = { readonly seed: string; draws: number; pool: number };

/** Plays for a gift. Whether the pool can pay is judged by the greatest win, before the number is known. */
function play(hub: Hub, table: Table, gift: SentGift, outcomes: readonly Outcome[]) {
  const stake = gift.bought;
  const share = Math.floor((stake * hub.setting<number>("lucky_gifts_pool_percent")) / 100);
  const contribution = Math.min(share, gift.kept);
  table.pool += contribution;
  if (stake === 0 || table.pool < stake * topOf(outcomes))
    return { ...gift, stake, contribution, place: null, number: null, times: 0 };
  const place = table.draws;
  const { number, times } = drawTimes(table.seed, place, outcomes);
  table.draws += 1;
  table.pool -= stake * times;
  return { ...gift, stake, contribution, place, number, times };
}
type Draw = ReturnType<typeof play>;

/** Draws for gifts, each once however often its event is handled. */
export const drawForGifts =
  (hub: Hub): EventHandler =>
  async (tx, events) => {
    const sent = events.map(({ transaction }) => transaction as { id: string; gift: { id: string } });
    const lucky = await tx.query<{ gift_id: string }>(
      "SELECT gift_id FROM ext_lucky_gifts.lucky_gifts_gifts WHERE gift_id = ANY ($1::uuid[])",
      [sent.map(({ gift }) => gift.id)],
    );
    const ids = sent.filter(({ gift }) => lucky.some((one) => one.gift_id === gift.id)).map(({ id }) => id);
    if (ids.length === 0) return;
    const gifts = await hub.gifts(ids);
    const floor = hub.setting<number>("lucky_gifts_floor");
    const [pool] = await tx.query<{ coins: number }>("SELECT coins FROM ext_lucky_gifts.budget FOR UPDATE");
    const [seed] = await tx.query<{ id: string; seed: string; draws: number }>(
      "SELECT id, seed, draws FROM ext_lucky_gifts.seeds WHERE closed_at IS NULL FOR UPDATE",
    );
    const drawn = await tx.query<{ id: string }>("SELECT id FROM ext_lucky_gifts.draws WHERE id = ANY ($1::uuid[])", [
      ids,
    ]);
    const table = { ...seed!, pool: pool!.coins - floor };
    const odds = hub.setting<string[]>("lucky_gifts_odds");
    const fresh = [...gifts.values()].filter(({ id }) => drawn.every((one) => one.id !== id));
    const draws = fresh.map((gift) => play(hub, table, gift, readOdds(odds)));
    await tx.query(
      `INSERT INTO ext_lucky_gifts.draws (id, room_id, user_id, stake, contribution, place, number, times, seed_id, odds)
       SELECT id, room_id, sender_id, stake, contribution, place, number, times,
         CASE WHEN place IS NOT NULL THEN $2::uuid END, CASE WHEN place IS NOT NULL THEN $3::text[] END
       FROM json_to_recordset($1::json) AS d (id uuid, room_id uuid, sender_id uuid, stake bigint, contribution bigint,
         place int, number int, times int)`,
      [JSON.stringify(draws), table.id, odds],
    );
    await tx.query("UPDATE ext_lucky_gifts.seeds SET draws = $2 WHERE id = $1", [table.id, table.draws]);
    await tx.query("UPDATE ext_lucky_gifts.budget SET coins = $1", [table.pool + floor]);
    // Wallets are locked in the order in which all transfers lock them.
    const inOrder = draws.toSorted((one, other) => (one.sender_id < other.sender_id ? -1 : 1));
    for (const draw of inOrder) await pay(tx, draw);
  };

/** Step: moves the gift's part into the pool, and the win out of it. What is won counts as granted. */
async function pay(tx: HubTx, { id, room_id, sender_id, stake, contribution, times }: Draw): Promise<void> {
  const coins = stake * times;
  const entries = [
    { account: "gift_revenue", amount: -contribution },
    { account: "own", amount: contribution - coins },
    { account: { userId: sender_id }, amount: coins },
  ] as const;
  const moving = entries.filter(({ amount }) => amount !== 0);
  if (moving.length === 0) return;
  const by = { kind: "service" } as const;
  await tx.transfer({ cause: "draw", id, by, description: "Lucky gift", entries: moving });
  if (times === 0) return;
  await tx.publish("lucky_gifts.won", { gift_transaction_id: id, room_id, user_id: sender_id, times, coins });
}

/** Reveals the open seed, and opens another, whose hash is public from now on. */
export const changeSeed = (hub: Hub): Promise<void> =>
  hub.transaction(async (tx) => {
    await tx.query("UPDATE ext_lucky_gifts.seeds SET closed_at = now() WHERE closed_at IS NULL");
    await tx.query("INSERT INTO ext_lucky_gifts.seeds (id, seed) VALUES ($1, $2)", [hub.newId(), newSeed()]);
  });

/** A seed is shown once no draw can come from it any more; its hash always. */
const seedColumns = `encode(sha256(convert_to(s.seed, 'UTF8')), 'hex') AS seed_hash,
  CASE WHEN s.closed_at IS NOT NULL THEN s.seed END AS seed`;

/** Returns the odds, the pool, and the newest seeds, of which the first is open. */
export async function viewPool(hub: Hub) {
  const odds = readOdds(hub.setting("lucky_gifts_odds"));
  const [found] = await hub.query<{ pool: number; gift_ids: string[] }>(
    `SELECT coins AS pool, ARRAY(SELECT gift_id FROM ext_lucky_gifts.lucky_gifts_gifts ORDER BY created_at LIMIT 1000)
       AS gift_ids FROM ext_lucky_gifts.budget`,
  );
  const seeds = await hub.query<object>(
    `SELECT ${seedColumns}, draws, opened_at, closed_at FROM ext_lucky_gifts.seeds s ORDER BY opened_at DESC LIMIT 30`,
  );
  const [pool_percent, floor] = ["pool_percent", "floor"].map((key) => hub.setting<number>(`lucky_gifts_${key}`));
  return { odds, returned: returned(odds), pool_percent, floor, ...found, seeds } as never;
}

/** Returns the draw for a gift of the caller's. @throws NOT_FOUND, also while it isn't drawn yet */
export async function findDraw(hub: Hub, giftTransactionId: string, userId: string) {
  const [draw] = await hub.query<object>(
    `SELECT d.id AS gift_transaction_id, stake, times, coins, place, number, coalesce(odds, '{}') AS odds, ${seedColumns}
     FROM ext_lucky_gifts.draws d LEFT JOIN ext_lucky_gifts.seeds s ON s.id = d.seed_id
     WHERE d.id = $1 AND d.user_id = $2`,
    [giftTransactionId, userId],
  );
  if (!draw) throw hub.error("NOT_FOUND");
  return draw as never;
}
