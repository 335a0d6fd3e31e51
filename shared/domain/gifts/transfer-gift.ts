import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GiftTransaction } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { tellBlocks } from "#shared/domain/blocks/blocks.queries.ts";
import { type TransferEntry, transfer } from "#shared/domain/ledger/transfer.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { Lanes } from "#shared/kernel/lanes.ts";
import { giftToYourself, giftUnavailable } from "./gifts.errors.ts";
import { giftJson } from "./gifts.queries.ts";

/**
 * Gifts to one recipient wait for the wallet one after the other. They wait here, without a connection of the pool, so that
 * they don't keep others from the database.
 */
const lanes = new Lanes({ width: 3, waitingMax: 200 });

export interface GiftOrder {
  readonly room_id: string;
  readonly gift_id: string;
  readonly recipient_id: string;
  /** 1..999 */
  readonly quantity: number;
}

/**
 * Transfers the coins of a gift and records it: the sender pays price × quantity, the recipient gets
 * `gift_receiver_percent` of it, rounded down, and the house gets the rest. Checks price, balance and recipient in the
 * transaction that moves the coins, but not that the two are in the room: `sendGift` does. Publishes `gift.sent`.
 * @throws FORBIDDEN (a gift to yourself), NOT_FOUND (the gift isn't for sale, or the recipient's account isn't active),
 *   BLOCKED, INSUFFICIENT_BALANCE, IDEMPOTENCY_CONFLICT, ENGINE_UNAVAILABLE (too many gifts to the recipient are waiting)
 */
export async function transferGift(
  caller: UserPrincipal,
  order: GiftOrder,
  idempotency?: IdempotentCall,
): Promise<GiftTransaction> {
  if (caller.userId === order.recipient_id) throw giftToYourself();
  const work = async (tx: Tx) => {
    const { recipient_coins, ...written } = await writeGift(tx, caller.userId, order);
    const cards = await userCards([caller.userId, order.recipient_id]);
    const transaction: GiftTransaction = {
      ...written,
      sender: cards.get(caller.userId)!,
      recipient: cards.get(order.recipient_id)!,
      room_id: order.room_id,
    };
    const { id, gift, quantity, total_coins } = transaction;
    // As late as possible: both wallets stay locked from here to the commit.
    await transfer(tx, {
      by: caller,
      reference: { type: "gift_transaction", id },
      description: `${gift.name} × ${quantity}`,
      entries: giftEntries(caller.userId, order.recipient_id, total_coins, recipient_coins),
    });
    await tx.publish("gift.sent", { transaction });
    return transaction;
  };
  return lanes.run(order.recipient_id, () => inTransaction(work, idempotency));
}

type WrittenGift = Pick<GiftTransaction, "id" | "gift" | "quantity" | "total_coins" | "created_at"> & {
  /** The recipient's share of `total_coins`. */
  recipient_coins: number;
};

/** Writes the gift's row at the current price, if the gift is for sale and the recipient can receive it. */
async function writeGift(tx: Tx, senderId: string, order: GiftOrder): Promise<WrittenGift> {
  const [row] = await tx.query<WrittenGift & { blocked: boolean }>(
    `WITH sale AS (
       SELECT g.id AS gift_id, g.price, ${giftJson("g.price")} AS gift,
         is_blocked_between($4::uuid, $5::uuid) AS blocked
       FROM gifts g JOIN gift_categories c ON c.id = g.category_id
       WHERE g.id = $2 AND g.retired_at IS NULL AND c.retired_at IS NULL
         AND EXISTS (SELECT 1 FROM users WHERE id = $5::uuid AND status = 'active')
     ), written AS (
       INSERT INTO gift_transactions
         (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
       SELECT $1::uuid, gift_id, $3::uuid, $4::uuid, $5::uuid, $6::int, price, price * $6::int, price * $6::int * $7::int / 100 FROM sale
       WHERE NOT blocked
       RETURNING id, quantity, total_coins, recipient_coins, created_at
     )
     SELECT sale.gift, sale.blocked, written.* FROM sale LEFT JOIN written ON true`,
    [
      newId(),
      order.gift_id,
      order.room_id,
      senderId,
      order.recipient_id,
      order.quantity,
      setting("gift_receiver_percent"),
    ],
  );
  if (!row) throw giftUnavailable();
  const { blocked, ...written } = row;
  tellBlocks("shared", { blocked, blocker: blocked });
  return written;
}

/** Leaves out zero amounts: the recipient of a cheap gift may get nothing, as may the house at a share of 100 percent. */
function giftEntries(senderId: string, recipientId: string, total: number, share: number): TransferEntry[] {
  const entries: TransferEntry[] = [
    { account: { userId: senderId }, amount: -total, type: "gift_sent" },
    { account: { userId: recipientId }, amount: share, type: "gift_received" },
    { account: { house: "gift_revenue" }, amount: total - share, type: "gift_sent" },
  ];
  return entries.filter(({ amount }) => amount !== 0);
}
