import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { LedgerType, MoneyType } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Asset, coins } from "./assets.ts";
import type { CauseType } from "./causes.ts";

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
  /** They add up to zero; at most one for each account. */
  readonly entries: readonly TransferEntry[];
}

interface WalletRow {
  user_id: string;
  balance_after: number | null;
}

/**
 * Step: moves coins or money; the only writer of wallets and of the ledger. All wallets change or none does, even if the caller
 * catches the error and goes on. Returns the new balances by user id.
 * @throws INSUFFICIENT_BALANCE when a wallet would fall below zero
 */
export async function transfer(
  tx: Tx,
  { asset = coins, by, reference, description, entries }: Transfer,
): Promise<{ transactionId: string; balances: Map<string, number> }> {
  checkEntries(entries);

  const transactionId = newId();
  // One statement, because the wallets stay locked for each further round trip. `locked` takes the locks in ascending
  // order of user ids, whatever the plan, so transfers never deadlock, and it reads the newest balances. Everything
  // written derives from it: `wallets` in the UPDATE is still as the statement's snapshot saw it, and its CHECK would
  // judge that. Entries are numbered under the lock, because clocks of several processes keep no order.
  const wallets = await tx.query<WalletRow>(
    `WITH asked AS (
       SELECT * FROM unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::bigint[])
         AS entry (id, type, user_id, house, amount)
     ), locked AS MATERIALIZED (
       SELECT user_id, balance, entry_count FROM wallets
       WHERE user_id = ANY ($7::uuid[]) AND asset = $12::text ORDER BY user_id FOR NO KEY UPDATE
     ), entry AS MATERIALIZED (
       SELECT asked.*, locked.balance + asked.amount AS balance_after, locked.entry_count + 1 AS entry_no
       FROM asked LEFT JOIN locked USING (user_id)
     ), checked AS MATERIALIZED (
       SELECT bool_and(coalesce(balance_after >= 0, house IS NOT NULL)) AS passed FROM entry
     ), moved AS (
       UPDATE wallets SET balance = entry.balance_after, entry_count = entry.entry_no
       FROM entry WHERE wallets.user_id = entry.user_id AND wallets.asset = $12::text AND (SELECT passed FROM checked)
     ), ledger_transaction AS (
       INSERT INTO ledger_movements (id, reference_type, reference_id, description, principal_kind, principal_id)
       SELECT $1::uuid, $2::text, $3::uuid, $4::text, $10::text, $11::uuid WHERE (SELECT passed FROM checked)
     ), written AS (
       INSERT INTO ledger_entries (id, movement_id, type, asset, user_id, house, amount, balance_after, entry_no)
       SELECT id, $1::uuid, type, $12::text, user_id, house, amount, balance_after, entry_no
       FROM entry WHERE (SELECT passed FROM checked)
     )
     SELECT user_id, balance_after FROM entry WHERE user_id IS NOT NULL`,
    [
      transactionId,
      reference.type,
      reference.id,
      description,
      entries.map(() => newId()),
      entries.map(({ type }) => type),
      entries.map(({ account }) => ("userId" in account ? account.userId : null)),
      entries.map(({ account }) => ("house" in account ? account.house : null)),
      entries.map(({ amount }) => amount),
      by.kind,
      by.kind === "service" ? null : principalId(by),
      asset,
    ],
  );

  const balances = new Map<string, number>();
  for (const { user_id, balance_after } of wallets) {
    assert(balance_after !== null, "every wallet of a transfer is open");
    balances.set(user_id, balance_after);
  }
  if (wallets.some(({ balance_after }) => balance_after! < 0)) throw new DomainError("INSUFFICIENT_BALANCE");
  return { transactionId, balances };
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
