import type { statementColumns } from "#shared/contracts/catalogue-balance-views.ts";
import { query } from "#shared/db/query.ts";
import { isMoney } from "#shared/domain/money/ledger/assets.ts";
import { formatMoney } from "#shared/kernel/decimal.ts";
import { type MovementRow, movements } from "./balances.queries.ts";

/** Amounts are in 1/10,000 of the unit of their currency. */

export interface Period {
  /** `2026-01` */
  readonly month: string;
  /** The IANA name of the time zone in which the month begins and ends. */
  readonly time_zone: string;
}

export interface StatementRow {
  readonly currency: string;
  readonly opening: number;
  readonly credits: number;
  readonly debits: number;
  readonly movements: number;
  /** The number of the first entry of the month; null without one. */
  readonly first_no: number | null;
}

/** Movements that are read at a time. */
const batchSize = 500;

/** The month of `$2` in the time zone `$3`, as the interval of times that contains `e.created_at`. */
const start = "($2::text || '-01')::timestamp AT TIME ZONE $3::text";
const end = "(($2::text || '-01')::timestamp + interval '1 month') AT TIME ZONE $3::text";

/**
 * Returns a user's balances at the start of a month, and what moved in it. An entry is of the month in which its
 * transaction began, so each statement opens with what the one before it closed with.
 */
export const readStatement = (userId: string, { month, time_zone }: Period): Promise<StatementRow[]> =>
  query<StatementRow>(
    `SELECT w.asset AS currency,
       coalesce(sum(e.amount) FILTER (WHERE NOT e.inside), 0)::bigint AS opening,
       coalesce(sum(e.amount) FILTER (WHERE e.inside AND e.amount > 0), 0)::bigint AS credits,
       coalesce(-sum(e.amount) FILTER (WHERE e.inside AND e.amount < 0), 0)::bigint AS debits,
       count(*) FILTER (WHERE e.inside) AS movements, min(e.entry_no) FILTER (WHERE e.inside) AS first_no
     FROM wallets w LEFT JOIN LATERAL (
       SELECT e.amount, e.entry_no, e.created_at >= ${start} AS inside FROM ledger_entries e
       WHERE e.user_id = w.user_id AND e.asset = w.asset AND e.created_at < ${end}
     ) e ON true
     WHERE w.user_id = $1 AND ${isMoney("w.asset")} GROUP BY w.asset ORDER BY w.asset`,
    [userId, month, time_zone],
  );

/** Yields the movements of a balance in a month in batches, oldest first. */
async function* readMovements(
  userId: string,
  { month, time_zone }: Period,
  { currency, first_no }: Pick<StatementRow, "currency" | "first_no">,
): AsyncGenerator<MovementRow[]> {
  if (first_no === null) return;
  for (let after = first_no - 1; ; ) {
    const rows: MovementRow[] = await query<MovementRow>(
      `${movements}
       WHERE e.user_id = $1 AND e.asset = $4 AND e.entry_no > $5 AND e.created_at >= ${start} AND e.created_at < ${end}
       ORDER BY e.entry_no LIMIT ${batchSize}`,
      [userId, month, time_zone, currency, after],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < batchSize) return;
    after = rows.at(-1)!.entry_no;
  }
}

export type StatementLine = Record<(typeof statementColumns)[number], string | number>;

/**
 * Yields the lines of a statement: for each balance its opening, its movements while they are read, and its closing.
 */
export async function* statementLines(userId: string, period: Period): AsyncGenerator<StatementLine> {
  const none = { time: "", description: "", order_id: "", credit: "", debit: "" };
  for (const { currency, opening, first_no } of await readStatement(userId, period)) {
    const shown = (amount: number) => formatMoney(BigInt(amount), currency);
    let balance = opening;
    yield { ...none, currency, type: "opening_balance", balance: shown(balance) };
    for await (const rows of readMovements(userId, period, { currency, first_no }))
      for (const { amount, type, description, order_id, created_at } of rows) {
        balance += amount;
        yield {
          time: created_at,
          currency,
          type,
          description,
          order_id: order_id ?? "",
          credit: amount > 0 ? shown(amount) : "",
          debit: amount < 0 ? shown(-amount) : "",
          balance: shown(balance),
        };
      }
    yield { ...none, currency, type: "closing_balance", balance: shown(balance) };
  }
}
