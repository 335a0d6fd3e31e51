import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Frame } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { transfer } from "#shared/domain/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { scheduleExpiry } from "./expire-store.ts";
import { frameAlreadyOwned, frameNotOnSale, priceChanged } from "./store.errors.ts";
import { frameFor } from "./store.queries.ts";

interface FrameOrder {
  readonly frameId: string;
  /** The price that the buyer saw, in coins. Absent: any price is fine. */
  readonly expectedPrice?: number | undefined;
}

interface SoldFrame {
  name: string;
  price: number;
  duration_days: number | null;
}

/**
 * Buys a frame with coins, at the price in force when the coins move, for the frame's duration. An expired frame can be
 * bought again. Returns the frame as the buyer then sees it.
 * @throws NOT_FOUND (not on sale), CONFLICT (the price has changed), ALREADY_OWNED, INSUFFICIENT_BALANCE,
 *   IDEMPOTENCY_CONFLICT
 */
export async function buyFrame(
  caller: UserPrincipal,
  { frameId, expectedPrice }: FrameOrder,
  idempotency?: IdempotentCall,
): Promise<Frame> {
  const { userId } = caller;
  return inTransaction(async (tx) => {
    const sold = await frameOnSale(tx, frameId);
    if (expectedPrice !== undefined && expectedPrice !== sold.price) throw priceChanged();

    await grantOwnership(tx, userId, frameId, sold.duration_days);
    const purchaseId = newId();
    await tx.query("INSERT INTO frame_purchases (id, user_id, frame_id, price) VALUES ($1, $2, $3, $4)", [
      purchaseId,
      userId,
      frameId,
      sold.price,
    ]);

    const shown = (await frameFor(userId, frameId))!;
    if (shown.expires_at !== null) await scheduleExpiry(tx, shown.expires_at);

    await transfer(tx, {
      by: caller,
      reference: { type: "frame_purchase", id: purchaseId },
      description: `Frame ${sold.name}`,
      entries: [
        { account: { userId }, amount: -sold.price, type: "frame_purchase" },
        { account: { house: "store_revenue" }, amount: sold.price, type: "frame_purchase" },
      ],
    });
    return shown;
  }, idempotency);
}

async function frameOnSale(tx: Tx, frameId: string): Promise<SoldFrame> {
  const [sold] = await tx.query<SoldFrame>(
    "SELECT name, price, duration_days FROM frames WHERE id = $1 AND retired_at IS NULL",
    [frameId],
  );
  if (!sold) throw frameNotOnSale();
  return sold;
}

/**
 * Of two concurrent purchases, the second waits here and then finds the frame owned. Buying an expired frame again
 * unequips it; the job that looks for expired frames no longer finds it, so the changed card is published here.
 */
async function grantOwnership(tx: Tx, userId: string, frameId: string, days: number | null): Promise<void> {
  const [owned] = await tx.query<{ was_on: boolean | null }>(
    `INSERT INTO frame_ownerships (user_id, frame_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 day')
     ON CONFLICT (user_id, frame_id) DO UPDATE SET expires_at = EXCLUDED.expires_at, equipped = false
       WHERE frame_ownerships.expires_at <= now()
     RETURNING old.equipped AS was_on`,
    [userId, frameId, days],
  );
  if (!owned) throw frameAlreadyOwned();
  if (owned.was_on) await tx.publish("user.card_changed", { user_id: userId });
}
