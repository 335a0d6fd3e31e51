import type { EarningsEntry, Statement, StatementMonth } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { type EntryProof, latestTreeHead, proveEntries } from "#shared/domain/operations/admins/ledger-tree.ts";
import { type SignedHead, signText } from "#shared/domain/operations/admins/signed-heads.ts";
import { clock, isoNow } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { concernsAgency, type StatementAccount, type StatementKind, statementAccount } from "./statement-accounts.ts";
import { statementLinks } from "./statement-link.ts";

/** How many lines a statement can have. Those who have more take days or hours. */
export const linesMax = 2000;

interface Period {
  readonly period: string;
  readonly from: string;
  readonly to: string;
}

const shape = /^(\d{4})-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?$/;

/** Returns what a month, a day, or an hour in UTC spans. @throws VALIDATION_ERROR if it is none, or hasn't begun */
export function periodOf(period: string): Period {
  const [year, month, day, hour] = (shape.exec(period)?.slice(1) ?? []).map((part) => part && Number(part));
  const from = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1), Number(hour ?? 0));
  const to = Date.UTC(
    Number(year),
    Number(month) - 1 + (day === undefined ? 1 : 0),
    Number(day ?? 1) + (day !== undefined && hour === undefined ? 1 : 0),
    Number(hour ?? 0) + (hour === undefined ? 0 : 1),
  );
  // "2026-02-31" would be a day of March.
  if (Number.isNaN(from) || !new Date(from).toISOString().startsWith(period))
    throw invalidFields([{ field: "period", text: "{{field}} must be a month, a day, or an hour, such as 2026-11" }]);
  if (from > clock.now()) throw invalidFields([{ field: "period", text: "{{field}} hasn't begun" }]);
  return { period, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

type Line = Statement["lines"][number];
type Row = Pick<EarningsEntry, "id" | "type" | "balance_after" | "created_at"> & {
  readonly entry_no: number;
  readonly amount: number;
  readonly reference_type: string;
  readonly reference_id: string;
};

/** Returns the number of the last entry of a balance before a time, and what it left. */
async function stateBefore({ userId, asset }: StatementAccount, time: string): Promise<Opening> {
  const row = await queryOne<Opening & Record<string, unknown>>(
    `SELECT entry_no, balance_after AS balance FROM ledger_entries
     WHERE user_id = $1 AND asset = $2 AND created_at < $3 ORDER BY entry_no DESC LIMIT 1`,
    [userId, asset, time],
  );
  return row ?? { entry_no: 0, balance: 0 };
}

const tooLong = () =>
  invalidFields([
    {
      field: "period",
      text: "{{field}} has more than {{count}} entries. Ask for a day or an hour",
      values: { count: linesMax },
    },
  ]);

interface Opening {
  readonly entry_no: number;
  readonly balance: number;
}

interface Read {
  readonly opening: Opening;
  readonly rows: readonly Row[];
  readonly head: SignedHead | undefined;
  readonly proofs: ReadonlyMap<string, EntryProof>;
}

/** Reads the entries of a period, and their proofs. */
async function readPeriod(account: StatementAccount, { from, to }: Period): Promise<Read> {
  const { userId, asset, agencyId } = account;
  const [opening, end] = [await stateBefore(account, from), await stateBefore(account, to)];
  const rows = await query<Row>(
    `SELECT e.id, e.entry_no, e.type, e.amount, e.balance_after, e.created_at, m.reference_type, m.reference_id
     FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
     WHERE e.user_id = $1 AND e.asset = $2 AND e.entry_no > $3 AND e.entry_no <= $4
       AND ($5::uuid IS NULL OR ${concernsAgency}) ORDER BY e.entry_no LIMIT ${linesMax + 1}`,
    [userId, asset, opening.entry_no, end.entry_no, agencyId],
  );
  if (rows.length > linesMax) throw tooLong();
  const head = await latestTreeHead();
  const ids = rows.map(({ id }) => id);
  return { opening, rows, head, proofs: await proveEntries(ids, head?.seq ?? 0) };
}

/** What is proven, up to the first entry that isn't. */
function linesOf({ rows, proofs }: Read, isHidden: boolean): Line[] {
  const unproven = rows.findIndex(({ id }) => !proofs.has(id));
  const proven = unproven === -1 ? rows : rows.slice(0, unproven);
  return proven.map(({ amount, balance_after, reference_type, reference_id, ...row }) => ({
    ...row,
    direction: amount > 0 ? "credit" : "debit",
    amount: Math.abs(amount),
    balance_after: isHidden ? null : balance_after,
    reference: { type: reference_type, id: reference_id },
    ...(isHidden ? { entry: null, salt: null, path: [] } : proofs.get(row.id)!),
  }));
}

/**
 * Returns what a period brought an account, each line with what it takes to check it against the signed roots of the
 * ledger's tree. Lines that no signed root covers yet are left out and counted. What concerns others is never in it.
 * @throws VALIDATION_ERROR if the period is none, hasn't begun, or has more than `linesMax` entries
 */
export async function getStatement(account: StatementAccount, name: string): Promise<Statement> {
  const span = periodOf(name);
  const read = await inSnapshot(() => readPeriod(account, span));
  const { opening, rows, head } = read;
  const lines = linesOf(read, account.kind === "agency_lines");
  const sumOf = (direction: Line["direction"]) =>
    lines.reduce((sum, line) => sum + (line.direction === direction ? line.amount : 0), 0);
  const end = lines.at(-1) ?? { entry_no: opening.entry_no, balance_after: opening.balance };
  const [pending, signed_at] = [rows.length - lines.length, isoNow()];
  const { userId, asset, agencyId } = account;
  // Of an agency, only some entries of its owner's account, and not its balance.
  const bounds = agencyId
    ? [agencyId, lines.map(({ entry_no }) => entry_no).join(",")]
    : [opening.entry_no, opening.balance, end.entry_no, end.balance_after];
  const signed = [
    ...[span.period, userId, asset, span.from, span.to, ...bounds, pending],
    ...[head?.hash ?? "-", signed_at],
  ].join(" ");
  return {
    ...span,
    user_id: userId,
    agency_id: agencyId,
    asset: asset as Statement["asset"],
    opening_entry_no: agencyId ? null : opening.entry_no,
    opening_balance: agencyId ? null : opening.balance,
    closing_balance: agencyId ? null : end.balance_after,
    credits: sumOf("credit"),
    debits: sumOf("debit"),
    lines,
    pending,
    head: head ?? null,
    signed_at,
    ...signText(Buffer.from(signed)),
    ...statementLinks(account, span.period),
  };
}

/** Returns the months of an account with their statements, newest first, from its first entry on. @throws NOT_FOUND */
export async function listStatements(kind: StatementKind, id: string, page: PageQuery): Promise<Page<StatementMonth>> {
  const account = await statementAccount(kind, id);
  const first = await queryOne<{ created_at: string }>(
    "SELECT created_at FROM ledger_entries WHERE user_id = $1 AND asset = $2 ORDER BY entry_no LIMIT 1",
    [account.userId, account.asset],
  );
  const monthOf = (time: number) => new Date(time).getUTCFullYear() * 12 + new Date(time).getUTCMonth();
  const last = monthOf(clock.now());
  const total = first ? last - monthOf(Date.parse(first.created_at)) + 1 : 0;
  const count = Math.max(0, Math.min(page.limit, total - offsetOf(page)));
  const items = Array.from({ length: count }, (_, index) => {
    const month = last - offsetOf(page) - index;
    const period = new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString().slice(0, 7);
    return { period, ...statementLinks(account, period) };
  });
  return toPage(items, total, page);
}
