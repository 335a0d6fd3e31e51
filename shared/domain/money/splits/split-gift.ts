import type { SplitPlan, SplitShare } from "#shared/contracts/views.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";

/** Who can get parts of a gift. What has no taker here stays with the house. */
export type Takers = Readonly<Partial<Record<Taker, string>>>;
type Taker = Exclude<SplitShare["to"], "house">;

/** What a user gets of a gift. */
export interface GiftShare {
  readonly taker: Taker;
  readonly asset: "coins" | "earnings";
  readonly userId: string;
  readonly amount: number;
  /** Of coins: how many of them count as bought. */
  readonly bought: number;
}

/** Coins of a gift: all, and those of them that were bought. */
export interface Price {
  readonly total: number;
  readonly bought: number;
}

const whole = 10_000;

/**
 * Splits an amount by basis points that add up to 10,000. Each gets its part rounded down, and what is left goes, one
 * each, to those who lost most by that; of equal ones, to the first.
 */
export function partsOf(amount: number, basisPoints: readonly number[]): number[] {
  const rest = amount % whole;
  const parts = basisPoints.map((points, place) => ({
    place,
    amount: ((amount - rest) / whole) * points + Math.floor((rest * points) / whole),
    lost: (rest * points) % whole,
  }));
  const left = amount - parts.reduce((sum, part) => sum + part.amount, 0);
  const favoured = parts.toSorted((one, other) => other.lost - one.lost || one.place - other.place).slice(0, left);
  return parts.map((part) => part.amount + (favoured.includes(part) ? 1 : 0));
}

/**
 * Returns what users get of a gift by a plan. Only bought coins earn: of granted ones, takers of earnings get coins, or
 * nothing, as the settings say. Those that aren't given to anyone stay with the house.
 */
export function splitByPlan({ shares }: Pick<SplitPlan, "shares">, price: Price, takers: Takers): GiftShare[] {
  const points = shares.map(({ basis_points }) => basis_points);
  const [ofBought, ofGranted] = [partsOf(price.bought, points), partsOf(price.total - price.bought, points)];
  const given = new Map<string, GiftShare>();
  const give = (taker: Taker, asset: GiftShare["asset"], amount: number, bought: number) => {
    const userId = takers[taker];
    if (!userId || amount === 0) return;
    const key = `${taker} ${asset}`;
    const before = given.get(key) ?? { amount: 0, bought: 0 };
    given.set(key, { taker, asset, userId, amount: before.amount + amount, bought: before.bought + bought });
  };
  for (const [index, { to, asset }] of shares.entries()) {
    if (to === "house") continue;
    if (asset === "earnings") give(to, "earnings", ofBought[index]!, 0);
    else give(to, "coins", ofBought[index]!, ofBought[index]!);
    if (setting("granted_gifts_pay")) give(to, "coins", ofGranted[index]!, 0);
  }
  return [...given.values()];
}

/** Returns what the recipient gets by the settings: a share of the price in coins, rounded down. */
export function splitBySettings({ total, bought }: Price, recipientId: string): GiftShare[] {
  const shared = setting("granted_gifts_pay") ? total : bought;
  const amount = Math.floor((shared * setting("gift_receiver_percent")) / 100);
  if (amount === 0) return [];
  // Of bought coins, the same share, but for what is rounded.
  const ofBought = shared === bought ? amount : Number((BigInt(amount) * BigInt(bought)) / BigInt(total));
  return [{ taker: "receiver", asset: "coins", userId: recipientId, amount, bought: ofBought }];
}
