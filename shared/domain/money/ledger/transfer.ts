import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { LedgerType, MoneyType } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Asset, coins } from "./assets.ts";
import type { CauseType } from "./causes.ts";
import { insufficientBalance } from "./ledger.errors.ts";

/** The house's accounts. They have no balance row, which every transfer would lock; their entries are added up. */
export type House = "issue" | "gift_revenue" | "store_revenue" | "debt" | MoneyHouse;
/** Those of money: what was paid to providers, earned by the catalogue, given by administrators, and is owed. */
type MoneyHouse = "payments" | "catalogue_revenue" | "adjustments" | "debt";

export interface TransferEntry {
  readonly account: { readonly userId: string } | { readonly house: House };
  /** Positive credits the account, negative debits it. Never zero. */
  readonly amount: number;
  readonly type: LedgerType | MoneyType;
}

export interface Transfer {
  /** What all entries move; coins by default. */
  readonly asset?: Asset;
  /** Who moves them. */
  readonly by: Principal;
  /** The cause, stored in the same transaction. A second transfer for one cause violates `ledger_movements_once`. */
  readonly reference: { readonly type: CauseType; readonly id: string };
  readonly description: string;
  /** The least that a user's wallet must hold afterwards, and the error if it would hold less. */
  readonly keep?: { readonly userId: string; readonly amount: number; readonly refused: () => DomainError };
  /** They add up to zero; at most one for each account. */
  readonly entries: readonly TransferEntry[];
}

/** What a transfer has done: the ID of its ledger transaction, and the new balances by user ID. */
export interface Transferred {
  readonly transactionId: string;
  readonly balances: ReadonlyMap<string, number>;
}

/**
 * Step: moves coins or money. All wallets change or none does, even if the caller catches the error and goes on.
 * @throws INSUFFICIENT_BALANCE when a wallet would fall below zero
 */
export async function transfer(tx: Tx, order: Transfer): Promise<Transferred> {
  const { entries, asset = coins } = order;
  checkEntries(entries);
  const userIds = entries.flatMap(({ account }) => ("userId" in account ? account.userId : []));
  const [outcome] = transferAll(tx, [order], await lockWallets(tx, userIds, asset));
  if (outcome instanceof DomainError) throw outcome;
  return outcome!;
}

/**
 * Step: moves what several transfers move, each judged after those before it; the only writer of wallets and of the
 * ledger. `wallets` are locked. Returns the outcome of each: one that `transfer` would refuse has the error as its
 * outcome, and changes nothing.
 */
export function transferAll(tx: Tx, orders: readonly Transfer[], wallets: Wallets): (Transferred | DomainError)[] {
  for (const { entries } of orders) checkEntries(entries);
  const written: TransferRows = { transactions: [], entries: [] };
  const outcomes = orders.map((order) => judge(order, wallets, written));
  if (written.transactions.length > 0) write(tx, written);
  return outcomes;
}

interface Wallet {
  readonly user_id: string;
  readonly asset: Asset;
  readonly balance: number;
  /** Numbers the entries: clocks of several processes keep no order. */
  readonly entry_count: number;
}

/** The locked wallets, as the transfers judged so far leave them. */
type Wallets = Map<string, Wallet>;

const walletKey = (userId: string, asset: string) => `${userId} ${asset}`;

/** What is written of the transfers that aren't refused. */
interface TransferRows {
  readonly transactions: (Transfer & { readonly id: string })[];
  readonly entries: (TransferEntry & {
    readonly transactionId: string;
    readonly asset: Asset;
    /** As the entry leaves it; undefined for a house account. */
    readonly wallet: Wallet | undefined;
  })[];
}

/**
 * Step: locks the users' wallets of an asset until the end of the transaction. Takes the locks in ascending order of
 * user IDs, whatever the plan, so that transfers never deadlock.
 */
export async function lockWallets(tx: Tx, userIds: readonly string[], asset: Asset): Promise<Wallets> {
  const wallets = await tx.query<Wallet & Record<string, unknown>>(
    `SELECT user_id, asset, balance, entry_count FROM wallets
     WHERE user_id = ANY ($1::uuid[]) AND asset = $2 ORDER BY user_id FOR NO KEY UPDATE`,
    [[...new Set(userIds)], asset],
  );
  return new Map(wallets.map((wallet) => [walletKey(wallet.user_id, wallet.asset), wallet]));
}

/** Judges a transfer by the wallets, and changes them unless it is refused. */
function judge(order: Transfer, wallets: Wallets, written: TransferRows): Transferred | DomainError {
  const { asset = coins } = order;
  const transactionId = newId();
  const balances = new Map<string, number>();
  const entries = order.entries.map((entry) => {
    if ("house" in entry.account) return { ...entry, transactionId, asset, wallet: undefined };
    const before = wallets.get(walletKey(entry.account.userId, asset));
    assert(before, "every wallet of a transfer is open");
    const wallet = { ...before, balance: before.balance + entry.amount, entry_count: before.entry_count + 1 };
    balances.set(wallet.user_id, wallet.balance);
    return { ...entry, transactionId, asset, wallet };
  });
  if ([...balances.values()].some((balance) => balance < 0)) return insufficientBalance(asset);
  if (order.keep && balances.get(order.keep.userId)! < order.keep.amount) return order.keep.refused();

  for (const { wallet } of entries) if (wallet) wallets.set(walletKey(wallet.user_id, asset), wallet);
  written.transactions.push({ ...order, id: transactionId });
  written.entries.push(...entries);
  return { transactionId, balances };
}

/** One statement, because the wallets stay locked for each further round trip. */
function write(tx: Tx, { transactions, entries }: TransferRows): void {
  const changed = new Map(
    entries.flatMap(({ wallet }) => (wallet ? [[walletKey(wallet.user_id, wallet.asset), wallet]] : [])),
  );
  const wallets = [...changed.values()];
  tx.send(
    `WITH moved AS (
       UPDATE wallets SET balance = w.balance, entry_count = w.entry_count
       FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS w (user_id, asset, balance, entry_count)
       WHERE wallets.user_id = w.user_id AND wallets.asset = w.asset
     ), ledger_transactions AS (
       INSERT INTO ledger_movements (id, reference_type, reference_id, description, principal_kind, principal_id)
       SELECT * FROM unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::text[], $10::uuid[])
     )
     INSERT INTO ledger_entries (id, movement_id, type, asset, user_id, house, amount, balance_after, entry_no)
     SELECT * FROM unnest($11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::uuid[], $16::text[], $17::bigint[],
       $18::bigint[], $19::bigint[])`,
    [
      wallets.map(({ user_id }) => user_id),
      wallets.map(({ asset }) => asset),
      wallets.map(({ balance }) => balance),
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
      entries.map(({ wallet }) => wallet?.balance),
      entries.map(({ wallet }) => wallet?.entry_count),
    ],
  );
}

function checkEntries(entries: readonly TransferEntry[]): void {
  assert(entries.length >= 2, "a transfer has two entries or more");
  const accounts = new Set<string>();
  let sum = 0;
  for (const { account, amount } of entries) {
    assert(Number.isSafeInteger(amount) && amount !== 0, "an entry moves a whole number, not zero");
    accounts.add("userId" in account ? account.userId : account.house);
    sum += amount;
  }
  assert(sum === 0, "the entries of a transfer add up to zero");
  assert(accounts.size === entries.length, "an account has one entry in a transfer");
}

/** Step: opens a user's wallet of coins, empty. Every user has exactly one, from registration on. */
export async function openWallet(tx: Tx, userId: string): Promise<void> {
  await tx.query("INSERT INTO wallets (user_id) VALUES ($1)", [userId]);
}

/** Step: opens a user's balance of money, empty, if they have none in this currency. */
export async function openBalance(tx: Tx, userId: string, currency: string): Promise<void> {
  await tx.query("INSERT INTO wallets (user_id, asset) VALUES ($1, $2) ON CONFLICT DO NOTHING", [userId, currency]);
}
