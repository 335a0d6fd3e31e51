import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GiftTransaction, SplitPlan } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { blockError, blockedBetween } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { protectedFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import { movementCommand } from "#shared/domain/money/ledger/movement.ts";
import type { Transfer, Transferred } from "#shared/domain/money/ledger/transfer.ts";
import { type GiftShare, splitByPlan, splitBySettings } from "#shared/domain/money/splits/split-gift.ts";
import { isForCountry, planFor, splitPlans } from "#shared/domain/money/splits/split-plans.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { entriesOf, storeShares } from "./gift-shares.ts";
import { giftsNotAccepted, giftToYourself, giftUnavailable } from "./gifts.errors.ts";
import { giftJson } from "./gifts.queries.ts";
import { coinsHeld, heldCoins } from "./held-coins.ts";
import { agencyOwnerOf, openEarnings, type ShareTakers, shareTakersOf } from "./share-takers.ts";

export interface GiftOrder {
  readonly room_id: string;
  readonly gift_id: string;
  readonly recipient_id: string;
  /** 1..999 */
  readonly quantity: number;
}

/** `owner`, `agency`: only if plans may give them shares. The agency is read again: the contract may have ended. */
interface SentGift extends GiftOrder, ShareTakers {
  readonly sender: UserPrincipal;
  /** The plans that may split it. */
  readonly plans: readonly SplitPlan[];
}

const has = (plans: readonly SplitPlan[], what: Partial<SplitPlan["shares"][number]>): boolean =>
  plans.some(({ shares }) => shares.some(({ to, asset }) => (what.to ?? to) === to && (what.asset ?? asset) === asset));

/**
 * Transfers the coins of a gift and records it: the sender pays price × quantity, which is split by the plan that holds
 * or by the settings, and the house gets the rest. Checks price, balance and recipient in the transaction that moves
 * the coins, but not that the two are in the room: `sendGift` does. Publishes `gift.sent`.
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
  const split = splitOf(order);
  // Gifts that no plan asks about keep their place among the movements that arrive together.
  const gift = { ...order, sender, ...(split instanceof Promise ? await split : split) };
  if (has(gift.plans, { asset: earnings })) await openEarnings(takersOf(gift));
  return move(gift, idempotency);
}

const noTakers: ShareTakers = { country: null, owner: null, agency: null };

type Split = ShareTakers & Pick<SentGift, "plans">;

/** Returns the plans that may split a gift, without those for other countries, and who gets shares by them. */
function splitOf(order: GiftOrder): Split | Promise<Split> {
  const all = splitPlans();
  const isAsked =
    all.some(({ countries }) => countries.length > 0) || has(all, { to: "owner" }) || has(all, { to: "agency" });
  if (!isAsked) return { ...noTakers, plans: all };
  return shareTakersOf(order).then((takers) => splitAmong(all, takers));
}

function splitAmong(all: readonly SplitPlan[], { country, owner, agency }: ShareTakers): Split {
  const plans = all.filter((plan) => isForCountry(plan, country));
  return {
    plans,
    country,
    owner: has(plans, { to: "owner" }) ? owner : null,
    agency: has(plans, { to: "agency" }) ? agency : null,
  };
}

const takersOf = ({ recipient_id, owner, agency }: Pick<SentGift, "recipient_id" | "owner" | "agency">): string[] =>
  [recipient_id, owner, agency].filter((one) => one !== null);

const move = movementCommand({
  usersOf: (gift: SentGift) => [gift.sender.userId, ...takersOf(gift)],
  assetsOf: ({ plans }) => (has(plans, { asset: earnings }) ? [earnings] : []),
  plan: planGifts,
  bound: keepHeldCoins,
  store: storeGifts,
});

/** A gift that may be sent if the sender has the coins. */
interface Plan {
  readonly transfer: Transfer;
  readonly transaction: GiftTransaction;
  /** The plan that splits it; null if the settings do. */
  readonly planId: string | null;
  /** Returns what users get if so many of its coins were bought. */
  readonly sharesOf: (bought: number) => GiftShare[];
}

interface Sale {
  readonly gift: GiftTransaction["gift"];
  readonly blocked: boolean;
  /** The settings let no one of the recipient's age receive gifts. */
  readonly refused: boolean;
  /** Whether the contract with the agency still holds. */
  readonly hasAgency: boolean;
  readonly now: string;
}

/** Prices the gifts that are for sale and whose recipients can receive them; the others are refused. */
async function planGifts(tx: Tx, orders: readonly SentGift[]): Promise<(Plan | DomainError)[]> {
  const [sales, cards] = await Promise.all([
    findSales(tx, orders),
    userCards([...new Set(orders.flatMap(({ sender, recipient_id }) => [sender.userId, recipient_id]))]),
  ]);
  return orders.map(({ sender, recipient_id, room_id, quantity, plans, country, owner, agency }, index) => {
    const sale = sales.get(index);
    if (!sale) return giftUnavailable();
    const refused = blockError("shared", { blocked: sale.blocked, blocker: sale.blocked });
    if (refused) return refused;
    if (sale.refused) return giftsNotAccepted();
    const total = sale.gift.price * quantity;
    const plan = planFor(plans, { gift: sale.gift, country, at: sale.now });
    const takers = {
      receiver: recipient_id,
      ...(owner && owner !== sender.userId && { owner }),
      ...(agency && agency !== sender.userId && sale.hasAgency && { agency }),
    };
    const sharesOf = (bought: number) =>
      plan ? splitByPlan(plan, { total, bought }, takers) : splitBySettings({ total, bought }, recipient_id);
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
    return { transaction, planId: plan?.id ?? null, sharesOf, transfer: transferOf(sender, transaction, sharesOf) };
  });
}

/** Returns the gift of each order that can be bought for its recipient, by the order's index. */
async function findSales(tx: Tx, orders: readonly SentGift[]): Promise<Map<number, Sale>> {
  const sales = await tx.query<Sale & { place: number } & Record<string, unknown>>(
    `SELECT place, ${giftJson("g.price")} AS gift, ${blockedBetween("o.sender_id", "o.recipient_id")} AS blocked,
       ${protectedFrom("gifts")} AS refused, now() AS now,
       o.agency IS NOT NULL AND o.agency IS NOT DISTINCT FROM ${agencyOwnerOf("o.recipient_id")} AS "hasAgency"
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[]) WITH ORDINALITY
       AS o (gift_id, sender_id, recipient_id, agency, place)
     JOIN gifts g ON g.id = o.gift_id AND g.retired_at IS NULL
     JOIN gift_categories c ON c.id = g.category_id AND c.retired_at IS NULL
     JOIN users u ON u.id = o.recipient_id AND u.status = 'active'`,
    [
      orders.map(({ gift_id }) => gift_id),
      orders.map(({ sender }) => sender.userId),
      orders.map(({ recipient_id }) => recipient_id),
      orders.map(({ agency }) => agency),
    ],
  );
  return new Map(sales.map((sale) => [sale.place - 1, sale]));
}

const transferOf = (
  sender: UserPrincipal,
  { id, gift, quantity, total_coins }: GiftTransaction,
  sharesOf: Plan["sharesOf"],
): Transfer => ({
  by: sender,
  reference: { type: "gift_transaction", id },
  description: `${gift.name} × ${quantity}`,
  entries: [{ account: { userId: sender.userId }, amount: -total_coins, type: "gift_sent" }],
  split: (bought) => entriesOf(total_coins, sharesOf(bought)),
});

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

/** Stores the gifts and their shares, and publishes them. */
async function storeGifts(tx: Tx, plans: readonly Plan[], moved: readonly Transferred[]): Promise<GiftTransaction[]> {
  const transactions = plans.map(({ transaction }) => transaction);
  const shares = plans.map(({ sharesOf }, index) => sharesOf(moved[index]!.bought));
  tx.send(
    `INSERT INTO gift_transactions
       (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins, recipient_coins, bought_coins,
        plan_id)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::uuid[])`,
    [
      transactions.map(({ id }) => id),
      transactions.map(({ gift }) => gift.id),
      transactions.map(({ room_id }) => room_id),
      transactions.map(({ sender }) => sender.id),
      transactions.map(({ recipient }) => recipient.id),
      transactions.map(({ quantity }) => quantity),
      transactions.map(({ gift }) => gift.price),
      transactions.map(({ total_coins }) => total_coins),
      shares.map((of) => of.find(({ taker, asset }) => taker === "receiver" && asset === coins)?.amount ?? 0),
      moved.map(({ bought }) => bought),
      plans.map(({ planId }) => planId),
    ],
  );
  storeShares(
    tx,
    plans.flatMap(({ planId, transaction }, index) =>
      planId ? shares[index]!.map((share) => ({ ...share, giftId: transaction.id })) : [],
    ),
  );
  await tx.publishAll(
    "gift.sent",
    transactions.map((transaction) => ({ transaction })),
  );
  return transactions;
}
