import type { EarningsEntry, Statement } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inSnapshot } from "#shared/db/snapshot.ts";
import { earnings } from "#shared/domain/money/ledger/assets.ts";
import { type EntryProof, latestTreeHead, proveEntries } from "#shared/domain/operations/admins/ledger-tree.ts";
import { type SignedHead, signText } from "#shared/domain/operations/admins/signed-heads.ts";
import { clock, isoNow } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { statementLink } from "./statement-link.ts";

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
async function stateBefore(userId: string, time: string): Promise<{ entry_no: number; balance: number }> {
  const row = await queryOne<{ entry_no: number; balance: number }>(
    `SELECT entry_no, balance_after AS balance FROM ledger_entries
     WHERE user_id = $1 AND asset = $2 AND created_at < $3 ORDER BY entry_no DESC LIMIT 1`,
    [userId, earnings, time],
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

interface Read {
  readonly opening: { readonly entry_no: number; readonly balance: number };
  readonly rows: readonly Row[];
  readonly head: SignedHead | undefined;
  readonly proofs: ReadonlyMap<string, EntryProof>;
}

/** Reads the entries of a period, and their proofs. */
async function readPeriod(userId: string, { from, to }: Period): Promise<Read> {
  const [opening, end] = [await stateBefore(userId, from), await stateBefore(userId, to)];
  if (end.entry_no - opening.entry_no > linesMax) throw tooLong();
  const rows = await query<Row>(
    `SELECT e.id, e.entry_no, e.type, e.amount, e.balance_after, e.created_at, m.reference_type, m.reference_id
     FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
     WHERE e.user_id = $1 AND e.asset = $2 AND e.entry_no > $3 AND e.entry_no <= $4 ORDER BY e.entry_no`,
    [userId, earnings, opening.entry_no, end.entry_no],
  );
  const head = await latestTreeHead();
  const ids = rows.map(({ id }) => id);
  return { opening, rows, head, proofs: await proveEntries(ids, head?.seq ?? 0) };
}

/** Returns the lines up to the first one that isn't proven. */
function linesOf({ rows, proofs }: Read): Line[] {
  const unproven = rows.findIndex(({ id }) => !proofs.has(id));
  const proven = unproven === -1 ? rows : rows.slice(0, unproven);
  return proven.map(({ amount, reference_type, reference_id, ...row }) => ({
    ...row,
    direction: amount > 0 ? "credit" : "debit",
    amount: Math.abs(amount),
    reference: { type: reference_type, id: reference_id },
    ...proofs.get(row.id)!,
  }));
}

/**
 * Returns a user's earnings of a period, each line with what it takes to check it against the signed roots of the
 * ledger's tree. Lines that no signed root covers yet are left out and counted. What concerns others is never in it.
 * @throws VALIDATION_ERROR if the period is none, hasn't begun, or has more than `linesMax` entries
 */
export async function getStatement(userId: string, name: string): Promise<Statement> {
  const span = periodOf(name);
  const read = await inSnapshot(() => readPeriod(userId, span));
  const { opening, rows, head } = read;
  const lines = linesOf(read);
  const sumOf = (direction: Line["direction"]) =>
    lines.reduce((sum, line) => sum + (line.direction === direction ? line.amount : 0), 0);
  const { entry_no, balance_after } = lines.at(-1) ?? { entry_no: opening.entry_no, balance_after: opening.balance };
  const [pending, signed_at] = [rows.length - lines.length, isoNow()];
  const bounds = [span.from, span.to, opening.entry_no, opening.balance, entry_no, balance_after, pending];
  const signed = [span.period, userId, earnings, ...bounds, head?.hash ?? "-", signed_at].join(" ");
  const page_url = statementLink(userId, span.period);
  return {
    ...span,
    user_id: userId,
    asset: earnings,
    opening_entry_no: opening.entry_no,
    opening_balance: opening.balance,
    closing_balance: balance_after,
    credits: sumOf("credit"),
    debits: sumOf("debit"),
    lines,
    pending,
    head: head ?? null,
    signed_at,
    ...signText(Buffer.from(signed)),
    page_url,
    csv_url: `${page_url}?format=csv`,
  };
}
