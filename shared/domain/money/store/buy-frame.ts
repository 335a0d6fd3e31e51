import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Frame } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { movementCommand } from "#shared/domain/money/ledger/movement.ts";
import type { Transfer } from "#shared/domain/money/ledger/transfer.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { Lanes } from "#shared/kernel/lanes.ts";
import { scheduleExpiry } from "./expire-store.ts";
import { frameAlreadyOwned, frameNotOnSale, priceChanged } from "./store.errors.ts";

interface FrameOrder {
  readonly frameId: string;
  /** The price that the buyer saw, in coins. Absent: any price is fine. */
  readonly expectedPrice?: number | undefined;
}

interface Purchase extends FrameOrder {
  readonly buyer: UserPrincipal;
}

/** Of two concurrent purchases, the second waits here, and then finds the frame owned. */
const lanes = new Lanes({ width: 1, waitingMax: 200 });

/**
 * Buys a frame with coins, at the price in force when the coins move, for the frame's duration. An expired frame can be
 * bought again. Returns the frame as the buyer then sees it.
 * @throws NOT_FOUND (not on sale), CONFLICT (the price has changed), ALREADY_OWNED, INSUFFICIENT_BALANCE,
 *   IDEMPOTENCY_CONFLICT, ENGINE_UNAVAILABLE (too many purchases are waiting)
 */
export const buyFrame = (buyer: UserPrincipal, order: FrameOrder, idempotency?: IdempotentCall): Promise<Frame> =>
  lanes.run(`${buyer.userId} ${order.frameId}`, () => move({ ...order, buyer }, idempotency));

const move = movementCommand({
  usersOf: ({ buyer }: Purchase) => [buyer.userId],
  plan: planPurchases,
  store: storePurchases,
});

/** A purchase that is made if the buyer has the coins. */
interface Plan {
  readonly id: string;
  readonly userId: string;
  readonly frame: SoldFrame;
  readonly transfer: Transfer;
}

type SoldFrame = Pick<Frame, "id" | "name" | "image_url" | "price" | "duration_days">;

async function planPurchases(tx: Tx, purchases: readonly Purchase[]): Promise<(Plan | DomainError)[]> {
  const found = await tx.query<{ place: number; owned: boolean; frame: SoldFrame }>(
    `SELECT place, json_build_object('id', f.id, 'name', f.name, 'image_url', f.image_url, 'price', f.price,
       'duration_days', f.duration_days) AS frame,
       EXISTS (SELECT 1 FROM frame_ownerships o WHERE o.user_id = bought.user_id AND o.frame_id = f.id
         AND (o.expires_at IS NULL OR o.expires_at > now())) AS owned
     FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS bought (user_id, frame_id, place)
       JOIN frames f ON f.id = bought.frame_id AND f.retired_at IS NULL`,
    [purchases.map(({ buyer }) => buyer.userId), purchases.map(({ frameId }) => frameId)],
  );
  const offers = new Map(found.map((offer) => [offer.place - 1, offer]));
  return purchases.map(({ buyer, expectedPrice }, index) => {
    const offer = offers.get(index);
    if (!offer) return frameNotOnSale();
    const { owned, frame } = offer;
    if (expectedPrice !== undefined && expectedPrice !== frame.price) return priceChanged();
    if (owned) return frameAlreadyOwned();
    const id = newId();
    return { id, userId: buyer.userId, frame, transfer: transferOf(buyer, id, frame) };
  });
}

const transferOf = (buyer: UserPrincipal, purchaseId: string, { name, price }: SoldFrame): Transfer => ({
  by: buyer,
  reference: { type: "frame_purchase", id: purchaseId },
  description: `Frame ${name}`,
  entries: [
    { account: { userId: buyer.userId }, amount: -price, type: "frame_purchase" },
    { account: { house: "store_revenue" }, amount: price, type: "frame_purchase" },
  ],
});

async function storePurchases(tx: Tx, plans: readonly Plan[]): Promise<Frame[]> {
  tx.send(
    `INSERT INTO frame_purchases (id, user_id, frame_id, price)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])`,
    [
      plans.map(({ id }) => id),
      plans.map(({ userId }) => userId),
      plans.map(({ frame }) => frame.id),
      plans.map(({ frame }) => frame.price),
    ],
  );
  const granted = await grantOwnerships(tx, plans);
  const ends = new Set(granted.map(({ expires_at }) => expires_at));
  for (const end of ends) if (end !== null) await scheduleExpiry(tx, end);
  return plans.map(({ userId, frame }) => {
    const owned = granted.find(({ user_id, frame_id }) => user_id === userId && frame_id === frame.id);
    // Another process has sold it to them meanwhile.
    if (!owned) throw frameAlreadyOwned();
    return { ...frame, owned_by_me: true, equipped: false, expires_at: owned.expires_at };
  });
}

interface Ownership {
  readonly user_id: string;
  readonly frame_id: string;
  readonly expires_at: string | null;
}

/**
 * Buying an expired frame again unequips it; the job that looks for expired frames no longer finds it, so the changed
 * card is published here.
 */
async function grantOwnerships(tx: Tx, plans: readonly Plan[]): Promise<readonly Ownership[]> {
  const granted = await tx.query<Ownership & { was_on: boolean | null }>(
    `WITH bought AS (
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS bought (user_id, frame_id, days)
       ORDER BY user_id, frame_id
     ), before AS MATERIALIZED (
       SELECT user_id, frame_id, equipped FROM bought JOIN frame_ownerships USING (user_id, frame_id)
       FOR NO KEY UPDATE OF frame_ownerships
     ), granted AS (
       INSERT INTO frame_ownerships (user_id, frame_id, expires_at)
       SELECT user_id, frame_id, now() + days * interval '1 day' FROM bought LEFT JOIN before USING (user_id, frame_id)
       ORDER BY user_id, frame_id
       ON CONFLICT (user_id, frame_id) DO UPDATE SET expires_at = EXCLUDED.expires_at, equipped = false
         WHERE frame_ownerships.expires_at <= now()
       RETURNING user_id, frame_id, expires_at
     )
     SELECT user_id, frame_id, expires_at, equipped AS was_on FROM granted LEFT JOIN before USING (user_id, frame_id)`,
    [
      plans.map(({ userId }) => userId),
      plans.map(({ frame }) => frame.id),
      plans.map(({ frame }) => frame.duration_days),
    ],
  );
  await tx.publishAll(
    "user.card_changed",
    granted.filter(({ was_on }) => was_on).map(({ user_id }) => ({ user_id })),
  );
  return granted;
}
