import type { LedgerEntry } from "#shared/contracts/views.ts";
import { queryPage } from "#shared/db/query-page.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { type Asset, coins } from "./assets.ts";
import { sellerDebtText, shareDebtText } from "./debts.ts";

/** An entry of a wallet of some asset, as its owner sees it. */
type WalletEntry = Omit<LedgerEntry, "type"> & { type: string };

export interface EntryFilter<Entry extends WalletEntry = LedgerEntry> extends PageQuery {
  readonly type?: Entry["type"];
  readonly direction?: LedgerEntry["direction"];
}

type EntryRow<Entry extends WalletEntry> = Omit<Entry, "direction" | "reference"> & {
  amount: number;
  reference_type: string;
  reference_id: string;
};

/** `$1`: whose wallet; `$2`: its asset; `$3` and `$4`: the type and the sign of the amount, null for any. */
const filtered = `e.user_id = $1 AND e.asset = $2 AND ($3::text IS NULL OR e.type = $3) AND ($4::int IS NULL OR e.amount * $4 > 0)`;
const entries = {
  count: `SELECT count(*) FROM ledger_entries e WHERE ${filtered}`,
  rows: `SELECT e.id, e.type, e.amount, e.balance_after, e.created_at, m.reference_type, m.reference_id,
      CASE e.type WHEN 'gift_refund' THEN '${shareDebtText}' WHEN 'seller_refund' THEN '${sellerDebtText}'
        ELSE m.description END AS description
    FROM (SELECT * FROM ledger_entries e WHERE ${filtered} ORDER BY e.entry_no DESC LIMIT $5 OFFSET $6) e
      JOIN ledger_movements m ON m.id = e.movement_id
    ORDER BY e.entry_no DESC`,
};

/** Returns the ledger entries of a user's coins, newest first. */
export const listEntries = (userId: string, filter: EntryFilter): Promise<Page<LedgerEntry>> =>
  listEntriesOf<LedgerEntry>(userId, coins, filter);

/** Returns the ledger entries of a user's wallet of an asset, newest first. */
export async function listEntriesOf<Entry extends WalletEntry>(
  userId: string,
  asset: Asset,
  filter: EntryFilter<Entry>,
): Promise<Page<Entry>> {
  const sign = filter.direction && (filter.direction === "credit" ? 1 : -1);
  const found = await queryPage<EntryRow<Entry>>(entries, [userId, asset, filter.type ?? null, sign ?? null], filter);
  return { ...found, items: found.items.map((row) => toEntry<Entry>(row)) };
}

const toEntry = <Entry extends WalletEntry>({
  amount,
  reference_type,
  reference_id,
  ...entry
}: EntryRow<Entry>): Entry =>
  ({
    ...entry,
    direction: amount > 0 ? "credit" : "debit",
    amount: Math.abs(amount),
    reference: { type: reference_type, id: reference_id },
  }) as unknown as Entry;
