import { formatDecimal } from "#shared/kernel/decimal.ts";

/**
 * What wallets hold and ledger transactions move: coins, or money of an ISO 4217 currency, whose amounts are integers
 * in 1/10,000 of its unit.
 */
export type Asset = string;

/** The asset that isn't money. */
export const coins = "coins";

/** The largest amount of anything: it fits a JavaScript number exactly. */
export const amountMax = 9_000_000_000_000_000;

/** Returns the account of the house that what a payment credits comes from, and what a refund takes back goes to. */
export const issuerOf = (asset: Asset): "issue" | "payments" => (asset === coins ? "issue" : "payments");

/** Returns an amount, of money with its currency: `40`, `8.99 USD`. */
export const amountText = (amount: number, asset: Asset): string =>
  asset === coins ? `${amount}` : `${formatDecimal(BigInt(amount))} ${asset}`;

/** Returns an amount with its asset: `40 coins`, `8.99 USD`. */
export const fullAmountText = (amount: number, asset: Asset): string =>
  asset === coins ? `${amount} coins` : amountText(amount, asset);
