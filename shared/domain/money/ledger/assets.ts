import { formatDecimal } from "#shared/kernel/decimal.ts";

/**
 * What wallets hold and ledger transactions move: coins, earnings, or money of an ISO 4217 currency, whose amounts are
 * integers in 1/10,000 of its unit.
 */
export type Asset = string;

export const coins = "coins";
/** What users get for gifts: not spent, but exchanged. */
export const earnings = "earnings";

/** The stock of coin sellers: handled as money of a currency of our own, of which a unit is a coin. */
export const stock = "XCS";
/** The amount of a coin in stock. */
export const stockUnit = 10_000;

/** Returns the condition that an asset, an SQL expression, is money. */
export const isMoney = (asset: string): string => `(${asset} <> '${coins}' AND ${asset} <> '${earnings}')`;

/** The largest amount of anything: it fits a JavaScript number exactly. */
export const amountMax = 9_000_000_000_000_000;

/** Returns the account of the house that what a payment credits comes from, and what a refund takes back goes to. */
export const issuerOf = (asset: Asset): "issue" | "payments" => (asset === coins ? "issue" : "payments");

/** Returns an amount, but for coins with its asset: `40`, `40 earnings`, `8.99 USD`. */
export const amountText = (amount: number, asset: Asset): string => {
  if (asset === coins) return `${amount}`;
  return asset === earnings ? `${amount} ${asset}` : `${formatDecimal(BigInt(amount))} ${asset}`;
};

/** Returns an amount with its asset: `40 coins`, `8.99 USD`. */
export const fullAmountText = (amount: number, asset: Asset): string =>
  asset === coins ? `${amount} coins` : amountText(amount, asset);
