import { setting } from "#shared/domain/base/settings/settings.ts";

/** What an offer gives. */
export interface OfferTerms {
  readonly bonus_percent: number;
  readonly bonus_coins: number;
  readonly discount_percent: number;
  /** Empty: all packages. */
  readonly package_ids: readonly string[];
}

/** What is bought without an offer: `credit` coins, with those that the package adds, for `amount` minor units. */
export interface ListedPackage {
  readonly id: string;
  readonly credit: number;
  readonly amount: number;
  readonly currency: string;
}

/** The prices that a provider accepts: from `min`, in multiples of `step`; null where prices are fixed. */
export type PriceSteps = { readonly min: number; readonly step: number } | null;

export interface OfferValue {
  /** Coins in addition to `credit` of the package. */
  readonly bonus: number;
  /** What is paid, minor units. */
  readonly amount: number;
}

/** Returns what an offer makes of a package; undefined if it gives nothing, or would sell coins below their cost. */
export function offerValue(offer: OfferTerms, pack: ListedPackage, steps: PriceSteps): OfferValue | undefined {
  if (offer.package_ids.length > 0 && !offer.package_ids.includes(pack.id)) return undefined;
  const bonus = Math.floor((pack.credit * offer.bonus_percent) / 100) + offer.bonus_coins;
  const amount = steps ? discounted(pack.amount, offer.discount_percent, steps) : pack.amount;
  if (bonus === 0 && amount === pack.amount) return undefined;
  return isBelowCost(amount, pack.credit + bonus, pack.currency) ? undefined : { bonus, amount };
}

/** Rounds up, so that no discount is greater than promised, and a provider accepts the price. */
export function discounted(amount: number, percent: number, { min, step }: NonNullable<PriceSteps>): number {
  const price = Math.ceil(Math.ceil((amount * (100 - percent)) / 100) / step) * step;
  return Math.min(amount, Math.max(price, min));
}

/** Ten-thousandths, which the setting allows. */
const scale = 10_000n;

/** Returns whether coins would cost less than the settings allow in this currency. */
export function isBelowCost(amount: number, credit: number, currency: string): boolean {
  const entry = setting("lowest_coin_prices").find((one) => one.startsWith(`${currency}:`));
  if (!entry) return false;
  const [whole = "0", decimals = ""] = entry.slice(4).split(".");
  const lowest = BigInt(whole) * scale + BigInt(decimals.padEnd(4, "0"));
  return BigInt(amount) * scale < lowest * BigInt(credit);
}

/** Compares what two offers make of one package: negative if the first sells more coins for the money. */
export const byWorth =
  ({ credit }: Pick<ListedPackage, "credit">) =>
  (one: OfferValue, other: OfferValue): number => {
    const difference =
      BigInt(credit + other.bonus) * BigInt(one.amount) - BigInt(credit + one.bonus) * BigInt(other.amount);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  };
