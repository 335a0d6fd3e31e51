import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { LedgerType, MoneyType } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Asset, coins } from "./assets.ts";
import type { CauseType } from "./causes.ts";
import { refundTypes } from "./debts.ts";
import { insufficientBalance } from "./ledger.errors.ts";

/** The house's accounts. They have no balance row, which every transfer would lock; their entries are added up. */
export type House =
  | ExtensionHouse
  | "issue"
  | "gift_revenue"
  | "store_revenue"
  | "debt"
  | "exchange"
  | PayoutHouse
  | MoneyHouse;
/** Those of earnings that are paid out: not sent yet, at a provider, and arrived. */
type PayoutHouse = "payouts_held" | "payouts_sent" | "paid_out";
/** That of an extension, named as its schema. */
type ExtensionHouse = `ext_${string}`;
/** Those of money: what was paid to providers, earned by the catalogue, given by administrators, and is owed. */
type MoneyHouse = "payments" | "catalogue_revenue" | "adjustments" | "debt";

export interface TransferEntry {
  readonly account: { readonly userId: string } | { readonly house: House };
  /** Positive credits the account, negative debits it. Never zero. */
  readonly amount: number;
  readonly type: LedgerType | MoneyType;
  /** What it moves, if that isn't the asset of the transfer. */
  readonly asset?: Asset;
  /**
   * How many of the coins that a user gets count as bought; none by default. How many a user pays follows from their
   * wallet, and what the house gets or gives from the other entries.
   */
  readonly bought?: number;
}

export interface Transfer {
  /** What the entries move; coins by default. */
  readonly asset?: Asset;
  /** Who moves them. */
  readonly by: Principal;
  /** The cause, stored in the same transaction. A second transfer for one cause violates `ledger_movements_once`. */
  readonly reference: { readonly type: CauseType; readonly id: string };
  readonly description: string;
  /** The least that a user's wallet must hold afterwards, and the error if it would hold less. */
  readonly keep?: { readonly userId: string; readonly amount: number; readonly refused: () => DomainError };
  /** They add up to zero in each asset; at most one for each account and asset. */
  readonly entries: readonly TransferEntry[];
  /** Returns further entries, which depend on how many of the coins that the first entry takes were bought. */
  readonly split?: (bought: number) => readonly TransferEntry[];
}

/**
 * What a transfer has done: the ID of its ledger transaction, the new balances of its asset by user ID, and how many
 * bought coins its first entry took.
 */
export interface Transferred {
  readonly transactionId: string;
  readonly balances: ReadonlyMap<string, number>;
  readonly bought: number;
}

/**
 * Step: moves coins or money. All wallets change or none does, even if the caller catches the error and goes on.
 * @throws INSUFFICIENT_BALANCE when a wallet would fall below zero
 */
export async function transfer(tx: Tx, order: Transfer): Promise<Transferred> {
  const { entries, asset = coins } = order;
  checkEntries(entries, asset);
  const userIds = entries.flatMap(({ account }) => ("userId" in account ? account.userId : []));
  const assets = new Set(entries.map((entry) => entry.asset ?? asset));
  const [outcome] = transferAll(tx, [order], await lockWallets(tx, userIds, [...assets]));
  if (outcome instanceof DomainError) throw outcome;
  return outcome!;
}

/**
 * Step: moves what several transfers move, each judged after those before it; the only writer of wallets and of the
 * ledger. `wallets` are locked. Returns the outcome of each: one that `transfer` would refuse has the error as its
 * outcome, and changes nothing.
 */
export function transferAll(tx: Tx, orders: readonly Transfer[], wallets: Wallets): (Transferred | DomainError)[] {
  const written: TransferRows = { transactions: [], entries: [] };
  const outcomes = orders.map((order) => judge(order, wallets, written));
  if (written.transactions.length > 0) write(tx, written);
  return outcomes;
}

interface Wallet {
  readonly user_id: string;
  readonly asset: Asset;
  readonly balance: number;
  /** How many of the coins were bought. */
  readonly bought: number;
  /** Numbers the entries: clocks of several processes keep no order. */
  readonly entry_count: number;
}

/** The locked wallets, as the transfers judged so far leave them. */
type Wallets = Map<string, Wallet>;

const walletKey = (userId: string, asset: string) => `${userId} ${asset}`;

/** What is written of the transfers that aren't refused. */
interface TransferRows {
  readonly transactions: (Transfer & { readonly id: string })[];
  readonly entries: EntryRow[];
}

type EntryRow = TransferEntry & {
  readonly transactionId: string;
  readonly asset: Asset;
  readonly bought: number;
  /** As the entry leaves it; undefined for a house account. */
  readonly wallet: Wallet | undefined;
};

/**
 * Step: locks the users' wallets of some assets until the end of the transaction. Takes the locks in ascending order,
 * whatever the plan, so that transfers never deadlock.
 */
export async function lockWallets(tx: Tx, userIds: readonly string[], assets: readonly Asset[]): Promise<Wallets> {
  const wallets = await tx.query<Wallet & Record<string, unknown>>(
    `SELECT user_id, asset, balance, bought, entry_count FROM wallets
     WHERE user_id = ANY ($1::uuid[]) AND asset = ANY ($2::text[]) ORDER BY user_id, asset FOR NO KEY UPDATE`,
    [[...new Set(userIds)], assets],
  );
  return new Map(wallets.map((wallet) => [walletKey(wallet.user_id, wallet.asset), wallet]));
}

/** Judges a transfer by the wallets, and changes them unless it is refused. */
function judge(order: Transfer, wallets: Wallets, written: TransferRows): Transferred | DomainError {
  const { asset = coins } = order;
  const transactionId = newId();
  const changed = new Map<string, Wallet>();
  const entryOf = (entry: TransferEntry): EntryRow => {
    const moved = { ...entry, transactionId, asset: entry.asset ?? asset };
    if ("house" in entry.account) return { ...moved, bought: 0, wallet: undefined };
    const key = walletKey(entry.account.userId, moved.asset);
    const before = wallets.get(key);
    assert(before, "every wallet of a transfer is open");
    const bought = entry.amount < 0 ? -boughtOf(before, entry) : (entry.bought ?? 0);
    const balance = before.balance + entry.amount;
    const wallet = { ...before, balance, bought: before.bought + bought, entry_count: before.entry_count + 1 };
    changed.set(key, wallet);
    return { ...moved, bought, wallet };
  };

  const rows = order.entries.map(entryOf);
  const short = [...changed.values()].find(({ balance }) => balance < 0);
  if (short) return insufficientBalance(short.asset);
  const bought = -rows[0]!.bought;
  rows.push(...(order.split?.(bought) ?? []).map(entryOf));
  checkEntries(rows, asset);
  const balances = new Map(
    [...changed.values()].flatMap((wallet) => (wallet.asset === asset ? [[wallet.user_id, wallet.balance]] : [])),
  );
  if (order.keep && balances.get(order.keep.userId)! < order.keep.amount) return order.keep.refused();

  for (const [key, wallet] of changed) wallets.set(key, wallet);
  written.transactions.push({ ...order, id: transactionId });
  written.entries.push(...withHouse(rows));
  return { transactionId, balances, bought };
}

/** Returns how many of the coins that an entry takes from a wallet were bought. */
function boughtOf({ balance, bought }: Wallet, { amount, type }: TransferEntry): number {
  const isBoughtFirst = refundTypes.includes(type) || !setting("granted_coins_first");
  return isBoughtFirst ? Math.min(bought, -amount) : Math.min(bought, Math.max(0, -amount - (balance - bought)));
}

/** The last account of the house gets the bought coins that users pay, less those that users get, or gives them. */
function withHouse(rows: readonly EntryRow[]): EntryRow[] {
  const left = rows.reduce((sum, { bought }) => sum - bought, 0);
  if (left === 0) return [...rows];
  const last = rows.findLastIndex(({ account, asset }) => "house" in account && asset === coins);
  const amount = rows[last]?.amount ?? 0;
  assert(
    Math.sign(amount) === Math.sign(left) && Math.abs(amount) >= Math.abs(left),
    "the house moves what was bought",
  );
  return rows.map((row, index) => (index === last ? { ...row, bought: left } : row));
}

/** One statement, because the wallets stay locked for each further round trip. */
function write(tx: Tx, { transactions, entries }: TransferRows): void {
  const changed = new Map(
    entries.flatMap(({ wallet }) => (wallet ? [[walletKey(wallet.user_id, wallet.asset), wallet]] : [])),
  );
  const wallets = [...changed.values()];
  tx.send(
    `WITH moved AS (
       UPDATE wallets SET balance = w.balance, bought = w.bought, entry_count = w.entry_count
       FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
         AS w (user_id, asset, balance, bought, entry_count)
       WHERE wallets.user_id = w.user_id AND wallets.asset = w.asset
     ), ledger_transactions AS (
       INSERT INTO ledger_movements (id, reference_type, reference_id, description, principal_kind, principal_id)
       SELECT * FROM unnest($6::uuid[], $7::text[], $8::uuid[], $9::text[], $10::text[], $11::uuid[])
     )
     INSERT INTO ledger_entries
       (id, movement_id, type, asset, user_id, house, amount, bought, balance_after, entry_no)
     SELECT * FROM unnest($12::uuid[], $13::uuid[], $14::text[], $15::text[], $16::uuid[], $17::text[], $18::bigint[],
       $19::bigint[], $20::bigint[], $21::bigint[])`,
    [
      wallets.map(({ user_id }) => user_id),
      wallets.map(({ asset }) => asset),
      wallets.map(({ balance }) => balance),
      wallets.map(({ bought }) => bought),
      wallets.map(({ entry_count }) => entry_count),
      transactions.map(({ id }) => id),
      transactions.map(({ reference }) => reference.type),
      transactions.map(({ reference }) => reference.id),
      transactions.map(({ description }) => description),
      transactions.map(({ by }) => by.kind),
      transactions.map(({ by }) => (by.kind === "service" ? null : principalId(by))),
      entries.map(() => newId()),
      entries.map(({ transactionId }) => transactionId),
      entries.map(({ type }) => type),
      entries.map(({ asset }) => asset),
      entries.map(({ wallet }) => wallet?.user_id),
      entries.map(({ account }) => ("house" in account ? account.house : null)),
      entries.map(({ amount }) => amount),
      entries.map(({ bought }) => bought),
      entries.map(({ wallet }) => wallet?.balance),
      entries.map(({ wallet }) => wallet?.entry_count),
    ],
  );
}

function checkEntries(entries: readonly TransferEntry[], asset: Asset): void {
  assert(entries.length >= 2, "a transfer has two entries or more");
  const accounts = new Set<string>();
  const sums = new Map<Asset, number>();
  for (const entry of entries) {
    const { account, amount } = entry;
    const moved = entry.asset ?? asset;
    assert(Number.isSafeInteger(amount) && amount !== 0, "an entry moves a whole number, not zero");
    accounts.add(`${"userId" in account ? account.userId : account.house} ${moved}`);
    sums.set(moved, (sums.get(moved) ?? 0) + amount);
  }
  for (const sum of sums.values()) assert(sum === 0, "the entries of a transfer add up to zero");
  assert(accounts.size === entries.length, "an account has one entry in a transfer");
}

/** Step: opens a user's wallet of coins, empty. Every user has exactly one, from registration on. */
export async function openWallet(tx: Tx, userId: string): Promise<void> {
  await tx.query("INSERT INTO wallets (user_id) VALUES ($1)", [userId]);
}

/** Step: opens a user's balance of money or earnings, empty, if they have none of this asset. */
export const openBalance = (tx: Tx, userId: string, asset: Asset): Promise<void> => openBalances(tx, [userId], asset);

/** Step: the same for several users. IDs of no user are passed over. */
export async function openBalances(tx: Tx, userIds: readonly string[], asset: Asset): Promise<void> {
  await tx.query(
    `INSERT INTO wallets (user_id, asset) SELECT id, $2::text FROM users WHERE id = ANY ($1::uuid[]) ORDER BY id
     ON CONFLICT DO NOTHING`,
    [userIds, asset],
  );
}
