import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GiftTransaction } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { blockError, blockedBetween } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { protectedFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { movementCommand } from "#shared/domain/money/ledger/movement.ts";
import type { Transfer, TransferEntry } from "#shared/domain/money/ledger/transfer.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { giftsNotAccepted, giftToYourself, giftUnavailable } from "./gifts.errors.ts";
import { giftJson } from "./gifts.queries.ts";
import { coinsHeld, heldCoins } from "./held-coins.ts";

export interface GiftOrder {
  readonly room_id: string;
  readonly gift_id: string;
  readonly recipient_id: string;
  /** 1..999 */
  readonly quantity: number;
}

interface SentGift extends GiftOrder {
  readonly sender: UserPrincipal;
}

/**
 * Transfers the coins of a gift and records it: the sender pays price × quantity, the recipient gets
 * `gift_receiver_percent` of it, rounded down, and the house gets the rest. Checks price, balance and recipient in the
 * transaction that moves the coins, but not that the two are in the room: `sendGift` does. Publishes `gift.sent`.
 * @throws FORBIDDEN (a gift to yourself, or the settings let the recipient receive none at their age), NOT_FOUND (the
 *   gift isn't for sale, or the recipient's account isn't active), BLOCKED, INSUFFICIENT_BALANCE, COINS_HELD,
 *   IDEMPOTENCY_CONFLICT, ENGINE_UNAVAILABLE (too many gifts are waiting)
 */
export async function transferGift(
  sender: UserPrincipal,
  order: GiftOrder,
  idempotency?: IdempotentCall,
): Promise<GiftTransaction> {
  if (sender.userId === order.recipient_id) throw giftToYourself();
  return move({ ...order, sender }, idempotency);
}

const move = movementCommand({
  usersOf: ({ sender, recipient_id }: SentGift) => [sender.userId, recipient_id],
  plan: planGifts,
  bound: keepHeldCoins,
  store: storeGifts,
});

/** A gift that may be sent if the sender has the coins. */
interface Plan {
  readonly transfer: Transfer;
  readonly transaction: GiftTransaction;
  /** The recipient's share of its coins. */
  readonly recipientCoins: number;
}

interface Sale {
  readonly gift: GiftTransaction["gift"];
  readonly blocked: boolean;
  /** The settings let no one of the recipient's age receive gifts. */
  readonly refused: boolean;
  readonly now: string;
}

/** Prices the gifts that are for sale and whose recipients can receive them; the others are refused. */
async function planGifts(tx: Tx, orders: readonly SentGift[]): Promise<(Plan | DomainError)[]> {
  const [sales, cards] = await Promise.all([
    findSales(tx, orders),
    userCards([...new Set(orders.flatMap(({ sender, recipient_id }) => [sender.userId, recipient_id]))]),
  ]);
  return orders.map(({ sender, recipient_id, room_id, quantity }, index) => {
    const sale = sales.get(index);
    if (!sale) return giftUnavailable();
    const refused = blockError("shared", { blocked: sale.blocked, blocker: sale.blocked });
    if (refused) return refused;
    if (sale.refused) return giftsNotAccepted();
    const total = sale.gift.price * quantity;
    const recipientCoins = Math.floor((total * setting("gift_receiver_percent")) / 100);
    const transaction: GiftTransaction = {
      id: newId(),
      gift: sale.gift,
      quantity,
      total_coins: total,
      created_at: sale.now,
      sender: cards.get(sender.userId)!,
      recipient: cards.get(recipient_id)!,
      room_id,
    };
    return { transaction, recipientCoins, transfer: transferOf(sender, transaction, recipientCoins) };
  });
}

/** Returns the gift of each order that can be bought for its recipient, by the order's index. */
async function findSales(tx: Tx, orders: readonly SentGift[]): Promise<Map<number, Sale>> {
  const sales = await tx.query<Sale & { place: number } & Record<string, unknown>>(
    `SELECT place, ${giftJson("g.price")} AS gift, ${blockedBetween("o.sender_id", "o.recipient_id")} AS blocked,
       ${protectedFrom("gifts")} AS refused, now() AS now
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS o (gift_id, sender_id, recipient_id, place)
     JOIN gifts g ON g.id = o.gift_id AND g.retired_at IS NULL
     JOIN gift_categories c ON c.id = g.category_id AND c.retired_at IS NULL
     JOIN users u ON u.id = o.recipient_id AND u.status = 'active'`,
    [
      orders.map(({ gift_id }) => gift_id),
      orders.map(({ sender }) => sender.userId),
      orders.map(({ recipient_id }) => recipient_id),
    ],
  );
  return new Map(sales.map((sale) => [sale.place - 1, sale]));
}

function transferOf(
  sender: UserPrincipal,
  { id, gift, quantity, total_coins, recipient }: GiftTransaction,
  recipientCoins: number,
): Transfer {
  const entries: TransferEntry[] = [
    { account: { userId: sender.userId }, amount: -total_coins, type: "gift_sent" },
    { account: { userId: recipient.id }, amount: recipientCoins, type: "gift_received" },
    { account: { house: "gift_revenue" }, amount: total_coins - recipientCoins, type: "gift_sent" },
  ];
  return {
    by: sender,
    reference: { type: "gift_transaction", id },
    description: `${gift.name} × ${quantity}`,
    // The recipient of a cheap gift may get nothing, as may the house at a share of 100 percent.
    entries: entries.filter(({ amount }) => amount !== 0),
  };
}

/** Undefined unless the settings hold bought coins, so that gifts cost nothing more. */
function keepHeldCoins(tx: Tx, plans: readonly Plan[]): Promise<Transfer[]> | undefined {
  if (setting("gift_hold_hours") === 0) return undefined;
  const senders = plans.map(({ transaction }) => transaction.sender.id);
  return heldCoins(tx, senders).then((held) =>
    plans.map(({ transfer, transaction: { sender } }) => {
      const amount = held.get(sender.id) ?? 0;
      return amount > 0 ? { ...transfer, keep: { userId: sender.id, amount, refused: coinsHeld } } : transfer;
    }),
  );
}

/** Stores the gifts, and publishes them. */
async function storeGifts(tx: Tx, plans: readonly Plan[]): Promise<GiftTransaction[]> {
  const transactions = plans.map(({ transaction }) => transaction);
  tx.send(
    `INSERT INTO gift_transactions
       (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::bigint[], $8::bigint[], $9::bigint[])`,
    [
      transactions.map(({ id }) => id),
      transactions.map(({ gift }) => gift.id),
      transactions.map(({ room_id }) => room_id),
      transactions.map(({ sender }) => sender.id),
      transactions.map(({ recipient }) => recipient.id),
      transactions.map(({ quantity }) => quantity),
      transactions.map(({ gift }) => gift.price),
      transactions.map(({ total_coins }) => total_coins),
      plans.map(({ recipientCoins }) => recipientCoins),
    ],
  );
  await tx.publishAll(
    "gift.sent",
    transactions.map((transaction) => ({ transaction })),
  );
  return transactions;
}
