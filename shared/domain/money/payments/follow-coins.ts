import { query } from "#shared/db/query.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import { refundTypes } from "#shared/domain/money/ledger/debts.ts";
import { logger } from "#shared/kernel/logger.ts";

/** What is taken back from a user. */
export interface Charge {
  readonly userId: string;
  readonly asset: typeof coins | typeof earnings;
  readonly amount: number;
  /** How much of it their balance doesn't hold. */
  readonly debt: number;
}

/** What becomes of refunded coins. The amounts of all charges add up to them. */
export interface Followed {
  readonly charges: readonly Charge[];
  /** How many coins of which gifts they were. */
  readonly gifts: ReadonlyMap<string, number>;
  /** How many coins the wallets of those who got the credits still held, by the ledger transaction of the credit. */
  readonly held: ReadonlyMap<string, number>;
  /** And how many were charged to no one. */
  readonly unborne: ReadonlyMap<string, number>;
}

/** A seller's transfer that refunded stock was spent on. */
interface FollowedTransfer {
  readonly id: string;
  readonly recipientId: string;
  /** How many of its coins that was. */
  readonly coins: number;
  /** How many of them are taken from the recipient, and from those who got them by gifts. */
  readonly taken: number;
  /** Those taken from the recipient's wallet. */
  readonly held: number;
}

/** What a refund takes: from the buyer's wallet, as their debt, and from others who got shares of their gifts. */
export interface Taken extends Pick<Followed, "gifts"> {
  readonly held: number;
  readonly debt: number;
  readonly shares: readonly Charge[];
  /** Those of a seller's stock. */
  readonly transfers: readonly FollowedTransfer[];
}

/** Coins to take back from a user, and which entry gave them. */
export interface Credit {
  readonly userId: string;
  readonly amount: number;
  /** How many of them were bought, and can be followed. */
  readonly bought: number;
  /** The ledger transaction of the entry. */
  readonly transactionId: string;
  /** Whether the user gives back what they hold, and owes nothing of what they have spent. */
  readonly isBorneByOthers?: boolean;
}

/** A gift that a user paid with bought coins. */
interface Spend {
  readonly transactionId: string;
  readonly giftId: string;
  readonly bought: number;
  /** Bought coins that unreversed refunds have followed to it. */
  readonly followed: number;
  /** Its coins from the credit. */
  readonly ofCredit: number;
}

interface Share {
  readonly transactionId: string;
  readonly userId: string;
  readonly asset: Charge["asset"];
  /** What the gift's bought coins paid. */
  readonly amount: number;
}

/** How many credits a refund follows. What it doesn't follow stays the debt of who was to give it back. */
const creditsMax = 1000;

interface Balance {
  balance: number;
  bought: number;
}

/**
 * Finds what became of refunded coins: bought coins that a user's wallet still holds are taken back first. The others
 * were spent, in the order in which they came, so the sums of bought coins say which gifts had them. What others
 * got of these gifts is taken back in proportion: earnings from their balance, coins as from the buyer, also when they
 * gave them on. What is left, the house's part and what was spent otherwise, stays with who spent it: granted coins,
 * then a debt. Reads only; call it again once the balances of all that it finds are locked.
 */
export async function followCoins(refunded: readonly Credit[]): Promise<Followed> {
  const balances = new Map<string, Balance>();
  const charged = new Map<string, Omit<Charge, "debt">>();
  const left = new Map<string, number>();
  const gifts = new Map<string, number>();
  const heldOf = new Map<string, number>();
  const unborne = new Map<string, number>();
  const charge = (userId: string, asset: Charge["asset"], amount: number) => {
    const key = `${userId} ${asset}`;
    charged.set(key, { userId, asset, amount: (charged.get(key)?.amount ?? 0) + amount });
  };

  let credits = refunded;
  let count = 0;
  while (credits.length > 0) {
    await readBalances(balances, credits);
    const next: Credit[] = [];
    for (const credit of credits) {
      const wallet = balances.get(`${credit.userId} ${coins}`)!;
      const held = Math.min(wallet.bought, credit.amount);
      wallet.bought -= held;
      wallet.balance -= held;
      if (held > 0) heldOf.set(credit.transactionId, held);
      const spent = Math.min(credit.amount, credit.bought) - held;
      count += 1;
      const shares = spent > 0 && count <= creditsMax ? await sharesOf(credit, spent, gifts) : [];
      for (const share of shares)
        if (share.asset === earnings) charge(share.userId, earnings, share.amount);
        else next.push({ ...share, bought: share.amount });
      const kept = credit.amount - shares.reduce((sum, { amount }) => sum + amount, 0);
      const borne = credit.isBorneByOthers ? held : kept;
      if (borne > 0) charge(credit.userId, coins, borne);
      if (kept > borne) unborne.set(credit.transactionId, kept - borne);
      left.set(credit.userId, (left.get(credit.userId) ?? 0) + borne - held);
    }
    credits = next;
  }
  if (count > creditsMax)
    logger.warn({ refunded: refunded.slice(0, 10), count }, "a refund leaves some gifts unfollowed");

  const ofEarnings = [...charged.values()].filter(({ asset }) => asset === earnings);
  await readBalances(balances, ofEarnings);
  const debtOf = ({ userId, asset, amount }: Omit<Charge, "debt">): number => {
    const { balance } = balances.get(`${userId} ${asset}`)!;
    return Math.max(0, (asset === coins ? left.get(userId)! : amount) - balance);
  };
  return { charges: [...charged.values()].map((one) => ({ ...one, debt: debtOf(one) })), gifts, held: heldOf, unborne };
}

async function readBalances(known: Map<string, Balance>, of: readonly { userId: string }[]): Promise<void> {
  const rows = await query<Balance & { key: string }>(
    `SELECT user_id || ' ' || asset AS key, balance, bought FROM wallets
     WHERE user_id = ANY ($1::uuid[]) AND asset IN ('coins', 'earnings')`,
    [[...new Set(of.map(({ userId }) => userId))]],
  );
  for (const { key, balance, bought } of rows) if (!known.has(key)) known.set(key, { balance, bought });
}

/** Returns what others got of the gifts that so many coins of a credit were spent on, and adds these to `gifts`. */
async function sharesOf(credit: Credit, spent: number, gifts: Map<string, number>): Promise<Share[]> {
  const { spends, otherwise } = await spendsOf(credit);
  const before = new Map(spends.map((spend) => [spend, spend.followed + (gifts.get(spend.giftId) ?? 0)]));
  const after = new Map(before);
  const cover = (spend: Spend, most: number): number => {
    const covered = Math.max(0, Math.min(most, spend.bought - after.get(spend)!));
    after.set(spend, after.get(spend)! + covered);
    return covered;
  };

  let rest = spent;
  for (const spend of spends) rest -= cover(spend, Math.min(rest, spend.ofCredit));
  rest = Math.max(0, rest - otherwise);
  // Refunds and paid debts may have taken coins of this credit in place of others, whose gifts it pays for since.
  for (const spend of spends) rest -= cover(spend, rest);

  const followed = spends.filter((spend) => after.get(spend)! > before.get(spend)!);
  for (const spend of followed)
    gifts.set(spend.giftId, (gifts.get(spend.giftId) ?? 0) + after.get(spend)! - before.get(spend)!);
  const shares = Map.groupBy(await paidBy(followed), ({ transactionId }) => transactionId);
  return followed.flatMap((spend) => {
    const own = shares.get(spend.transactionId) ?? [];
    const parts = own.map(({ amount }) => amount);
    const house = spend.bought - parts.reduce((sum, part) => sum + part, 0);
    const [from, until] = [before, after].map((of) => firstOf(of.get(spend)!, [...parts, house])) as [
      number[],
      number[],
    ];
    return own
      .map((share, index) => ({ ...share, amount: until[index]! - from[index]! }))
      .filter(({ amount }) => amount > 0);
  });
}

/**
 * Returns how many of the first coins of a gift each part of it gets, in proportion. They add up to the coins, and more
 * coins are never less for a part, so that the parts of several refunds add up, too.
 */
export function firstOf(coins: number, parts: readonly number[]): number[] {
  const whole = BigInt(parts.reduce((sum, part) => sum + part, 0));
  const first = parts.map((part) => Math.max(0, Number((BigInt(part) * BigInt(coins)) / whole) - parts.length));
  // As seats in a parliament, by Webster's method.
  const isBefore = (one: number, other: number) =>
    BigInt(parts[other]!) * (2n * BigInt(first[one]!) + 1n) < BigInt(parts[one]!) * (2n * BigInt(first[other]!) + 1n);
  for (let left = coins - first.reduce((sum, one) => sum + one, 0); left > 0; left -= 1)
    first[parts.reduce((best, _, index) => (isBefore(index, best) ? index : best), 0)]! += 1;
  return first;
}

/** How many gifts of a user a refund looks at. */
const spendsMax = 10_000;

/**
 * Returns the gifts that a user paid with bought coins: first those that had coins of the credit, the latest first; and
 * how many of its coins were spent otherwise. Refunds aren't counted: they take coins from anywhere in the wallet.
 */
async function spendsOf({ userId, transactionId }: Credit): Promise<{ spends: Spend[]; otherwise: number }> {
  const spends = await query<Spend & { giftId: string | null }>(
    `WITH moved AS (
       SELECT e.movement_id, e.entry_no, e.bought, sum(greatest(e.bought, 0)) OVER wallet AS got,
         sum(greatest(-e.bought, 0)) OVER wallet AS spent
       FROM ledger_entries e
       WHERE e.user_id = $1 AND e.asset = 'coins' AND e.bought <> 0 AND e.type NOT IN (${refundTypes.map((type) => `'${type}'`)})
       WINDOW wallet AS (ORDER BY e.entry_no)
     ), spends AS (
       SELECT s.movement_id, s.entry_no, -s.bought AS bought,
         greatest(0, least(s.spent, c.got) - greatest(s.spent + s.bought, c.got - c.bought)) AS of_credit
       FROM moved s, moved c WHERE s.bought < 0 AND c.movement_id = $2 AND c.bought > 0
     )
     SELECT s.movement_id AS "transactionId", m.reference_id AS "giftId", s.bought::bigint,
       coalesce(f.coins, 0)::bigint AS followed, s.of_credit::bigint AS "ofCredit"
     FROM spends s LEFT JOIN ledger_movements m ON m.id = s.movement_id AND m.reference_type = 'gift_transaction'
       LEFT JOIN LATERAL (
         SELECT sum(coins - released) AS coins FROM refund_gifts WHERE gift_transaction_id = m.reference_id
       ) f ON true
     WHERE s.of_credit > 0 OR (m.id IS NOT NULL AND coalesce(f.coins, 0) < s.bought)
     ORDER BY s.of_credit > 0 DESC, s.entry_no DESC LIMIT $3`,
    [userId, transactionId, spendsMax],
  );
  return {
    spends: spends.filter(({ giftId }) => giftId !== null),
    otherwise: spends.reduce((sum, { giftId, ofCredit }) => sum + (giftId === null ? ofCredit : 0), 0),
  };
}

/** Returns what users got of the bought coins of gifts. */
const paidBy = (spends: readonly Spend[]): Promise<Share[]> =>
  query<Share & Record<string, unknown>>(
    `SELECT movement_id AS "transactionId", user_id AS "userId", asset,
       CASE asset WHEN 'coins' THEN bought ELSE amount END AS amount
     FROM ledger_entries
     WHERE movement_id = ANY ($1::uuid[]) AND user_id IS NOT NULL AND amount > 0 AND (asset = 'earnings' OR bought > 0)
     ORDER BY movement_id, user_id, asset`,
    [spends.map(({ transactionId }) => transactionId)],
  );
