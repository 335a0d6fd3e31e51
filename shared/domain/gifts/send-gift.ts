import type { Caller } from "#shared/contracts/caller.ts";
import type { Gift, GiftTransaction } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type TransferEntry, transfer } from "#shared/domain/ledger/transfer.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { giftNotOnSale, notToOneself, recipientNotHere } from "./gifts.errors.ts";

export interface GiftOrder {
  readonly room_id: string;
  readonly gift_id: string;
  readonly recipient_id: string;
  /** 1..999 */
  readonly quantity: number;
}

/**
 * Sends a gift: the sender pays price × quantity, the recipient gets `gift_receiver_percent` of it, rounded down, the
 * house the rest. That both are in the room is for the caller of this to ask the room's actor; price, balance and
 * recipient are judged here, in the transaction that moves the coins. Publishes `gift.sent`.
 * @throws FORBIDDEN to oneself, NOT_FOUND (gift not on sale, recipient without an active account), INSUFFICIENT_BALANCE,
 *   IDEMPOTENCY_CONFLICT
 */
export async function sendGift(
  caller: Caller,
  order: GiftOrder,
  idempotency?: IdempotentCall,
): Promise<GiftTransaction> {
  if (caller.userId === order.recipient_id) throw notToOneself();
  return inTransaction(async (tx) => {
    const gift = await accessGift(tx, order);
    const total = gift.price * order.quantity;
    const share = Math.floor((total * setting("gift_receiver_percent")) / 100);
    const cards = await userCards([caller.userId, order.recipient_id]);
    const { id, created_at } = await writeGift(tx, caller.userId, order, { price: gift.price, total, share });
    // Last of the writes but the fact: from here to the commit both wallets are locked.
    await transfer(tx, {
      reference: { type: "gift_transaction", id },
      description: `${gift.name} × ${order.quantity}`,
      entries: giftEntries(caller.userId, order.recipient_id, total, share),
    });
    const transaction: GiftTransaction = {
      id,
      gift,
      quantity: order.quantity,
      total_coins: total,
      sender: cards.get(caller.userId)!,
      recipient: cards.get(order.recipient_id)!,
      room_id: order.room_id,
      created_at,
    };
    await tx.publish("gift.sent", { transaction });
    return transaction;
  }, idempotency);
}

/** The gift, if it is on sale and its recipient may be given something. */
async function accessGift(tx: Tx, { gift_id, recipient_id }: GiftOrder): Promise<Gift> {
  const rows = await tx.query<Gift & { recipient_active: boolean }>(
    `SELECT g.id, g.name, g.image_url, g.animation_url, g.price, g.category_id,
       EXISTS (SELECT 1 FROM users WHERE id = $2 AND status = 'active') AS recipient_active
     FROM gifts g JOIN gift_categories c ON c.id = g.category_id
     WHERE g.id = $1 AND g.retired_at IS NULL AND c.retired_at IS NULL`,
    [gift_id, recipient_id],
  );
  if (!rows[0]) throw giftNotOnSale();
  const { recipient_active, ...gift } = rows[0];
  if (!recipient_active) throw recipientNotHere();
  return gift;
}

async function writeGift(
  tx: Tx,
  senderId: string,
  order: GiftOrder,
  coins: { price: number; total: number; share: number },
): Promise<{ id: string; created_at: string }> {
  const rows = await tx.query<{ id: string; created_at: string }>(
    `INSERT INTO gift_transactions
       (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id, created_at`,
    [
      newId(),
      order.gift_id,
      order.room_id,
      senderId,
      order.recipient_id,
      order.quantity,
      coins.price,
      coins.total,
      coins.share,
    ],
  );
  return rows[0]!;
}

/** What is zero is no entry: a cheap gift may give its recipient nothing, and a share of 100 percent the house. */
function giftEntries(senderId: string, recipientId: string, total: number, share: number): TransferEntry[] {
  const entries: TransferEntry[] = [
    { account: { userId: senderId }, amount: -total, type: "gift_sent" },
    { account: { userId: recipientId }, amount: share, type: "gift_received" },
    { account: { house: "gift_revenue" }, amount: total - share, type: "gift_sent" },
  ];
  return entries.filter(({ amount }) => amount !== 0);
}
