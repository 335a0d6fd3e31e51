import { query } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { toOpenOrder } from "#shared/domain/money/payments/create-order.ts";
import { findProvider } from "#shared/domain/money/payments/payments.config.ts";
import { findOrderRow } from "#shared/domain/money/payments/payments.queries.ts";
import {
  type HistoryEntry,
  type ProviderHistory,
  secondsOf,
} from "#shared/domain/money/payments/providers/provider.ts";
import { reconcileOrder } from "#shared/domain/money/payments/reconcile-order.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { endRequestsOf } from "#shared/domain/money/payments/request-refund.ts";
import { firstIdAt, isId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type Finding, settleFindings, storeFinding } from "./findings.ts";

/** A run ends after this many findings: then something else is wrong than single payments. */
export const findingsMax = 1000;
const pageSize = 100;

export interface DayReport {
  /** How many entries of the provider's books were compared. */
  entries: number;
  /** What differs, also what was settled at once; at most `findingsMax`. */
  readonly findings: Finding[];
}

/** What we have of an entry. */
interface Recorded {
  readonly id: string;
  readonly provider_id: string;
  readonly payment_provider_id: string;
  readonly order_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly stands: boolean;
}

/** What we record of each kind of entry. */
const recorded = {
  payment: `SELECT p.id, p.provider, p.provider_payment_id AS provider_id, p.provider_payment_id AS payment_provider_id,
      p.order_id, p.amount, o.currency, true AS stands, p.reconciled_at
    FROM payments p JOIN payment_orders o ON o.id = p.order_id`,
  refund: `SELECT r.id, r.provider, r.provider_refund_id AS provider_id, p.provider_payment_id AS payment_provider_id,
      p.order_id, r.amount, o.currency, v.id IS NULL AS stands, r.reconciled_at
    FROM payment_refunds r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
      LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id`,
};
const tables = { payment: "payments", refund: "payment_refunds" };
const kinds = ["payment", "refund"] as const;
type Kind = (typeof kinds)[number];

/**
 * Compares a provider's books of a day (UTC) with ours, by pages, and stores what differs. What is missing here is
 * settled as if its webhook had come, where the order or the payment is known. Safe to repeat.
 * @throws ENGINE_UNAVAILABLE
 */
export async function reconcileDay(provider: string, history: ProviderHistory, day: string): Promise<DayReport> {
  const run = new Run(provider, history, day);
  for await (const page of history.historyOf(day)) {
    for (const kind of kinds)
      await run.compare(
        kind,
        page.filter((entry) => entry.kind === kind),
      );
    if (run.isFull) break;
  }
  for (const kind of kinds) if (!run.isFull) await run.lookForMissing(kind);
  return run.report;
}

class Run {
  readonly report: DayReport = { entries: 0, findings: [] };
  readonly #provider: string;
  readonly #history: ProviderHistory;
  readonly #day: string;

  constructor(provider: string, history: ProviderHistory, day: string) {
    [this.#provider, this.#history, this.#day] = [provider, history, day];
  }

  get isFull(): boolean {
    return this.report.findings.length >= findingsMax;
  }

  /** Compares entries of the provider with what we recorded of them, on whatever day. */
  async compare(kind: Kind, entries: readonly HistoryEntry[]): Promise<void> {
    this.report.entries += entries.length;
    const rows = await query<Recorded & Record<string, unknown>>(
      `SELECT * FROM (${recorded[kind]}) AS ours WHERE provider = $1 AND provider_id = ANY($2)`,
      [this.#provider, entries.map(({ id }) => id)],
    );
    const byId = new Map(rows.map((row) => [row.provider_id, row]));
    const equal: string[] = [];
    for (const entry of entries) {
      const row = byId.get(entry.id);
      if (row ? await this.#isEqual(row, entry) : await this.#isSettled(entry)) equal.push(entry.id);
    }
    await this.#confirm(
      kind,
      rows.map(({ id }) => id),
      equal,
    );
  }

  /** Asks the provider about what we recorded on the day, and its books of the day don't have. */
  async lookForMissing(kind: Kind): Promise<void> {
    const { from, to } = secondsOf(this.#day);
    const [until, statement] = [firstIdAt(to * 1000), recorded[kind]];
    for (let after = firstIdAt(from * 1000), full = true; full && !this.isFull; ) {
      const rows: Recorded[] = await query<Recorded & Record<string, unknown>>(
        `SELECT * FROM (${statement}) AS ours WHERE provider = $1 AND reconciled_at IS NULL
           AND id > $2 AND id < $3 ORDER BY id LIMIT ${pageSize}`,
        [this.#provider, after, until],
      );
      for (const row of rows) {
        const { id, provider_id, payment_provider_id: paymentId } = row;
        const entry = await this.#history.entryOf({ kind, id: provider_id, paymentId });
        if (entry && (await this.#isEqual(row, entry))) await this.#confirm(kind, [id], [provider_id]);
        else if (!entry) await this.#find("missing_there", kind, provider_id, { row });
      }
      after = rows.at(-1)?.id ?? after;
      full = rows.length === pageSize;
    }
  }

  async #isEqual(row: Recorded, entry: HistoryEntry): Promise<boolean> {
    const sameSum = entry.amount === null || (row.amount === entry.amount && row.currency === entry.currency);
    if (row.stands === entry.stands && sameSum) return true;
    await this.#find(row.stands === entry.stands ? "amount" : "state", entry.kind, entry.id, { row, entry });
    return false;
  }

  /** Returns whether there is nothing to do about what we have no record of. */
  async #isSettled(entry: HistoryEntry): Promise<boolean> {
    if (!entry.stands) return true;
    const orderId = entry.kind === "payment" ? await this.#orderOf(entry) : await this.#orderPaidWith(entry.paymentId);
    // A refund of a payment that we don't have is told with the payment, and the provider may sell for others, too.
    const known = orderId ? entry : entry.kind === "payment" && (await this.#history.entryOf(entry));
    if (!known) return true;
    await this.#settle(known, orderId);
    const row = await this.#recordOf(entry);
    await this.#find("missing_here", entry.kind, entry.id, {
      entry,
      orderId: row?.order_id ?? orderId,
      settled: row !== undefined,
    });
    return row !== undefined;
  }

  async #recordOf({ kind, id }: HistoryEntry): Promise<Recorded | undefined> {
    const [row] = await query<Recorded & Record<string, unknown>>(
      `SELECT * FROM (${recorded[kind]}) AS ours WHERE provider = $1 AND provider_id = $2`,
      [this.#provider, id],
    );
    return row;
  }

  async #orderOf({ providerOrderId, orderId }: HistoryEntry): Promise<string | undefined> {
    const [order] = await query<{ id: string }>(
      "SELECT id FROM payment_orders WHERE provider = $1 AND (provider_order_id = $2 OR id = $3)",
      [this.#provider, providerOrderId, isId(orderId) ? orderId : null],
    );
    return order?.id;
  }

  async #orderPaidWith(paymentId: string): Promise<string | undefined> {
    const [payment] = await query<{ order_id: string }>(
      "SELECT order_id FROM payments WHERE provider = $1 AND provider_payment_id = $2",
      [this.#provider, paymentId],
    );
    return payment?.order_id;
  }

  /** Has it recorded, as far as it is known what it is of. */
  async #settle(entry: HistoryEntry, orderId: string | undefined): Promise<void> {
    const { kind, id, paymentId, amount, dispute, settle } = entry;
    if (settle) return void (await settle());
    if (!orderId) return;
    if (kind === "payment") return reconcileOrder(orderId);
    const order = await findOrderRow(orderId);
    const payment = order && (await findProvider(this.#provider)?.capturePayment(paymentId, toOpenOrder(order)));
    if (!payment || amount === null) return;
    await inTransaction(async (tx) => {
      await refundPayment(tx, this.#provider, payment, { id, amount, ...(dispute && { dispute }) });
      await endRequestsOf(tx, this.#provider, payment.id);
    });
  }

  async #find(
    kind: Finding["kind"],
    subject: Kind,
    providerId: string,
    of: { row?: Recorded; entry?: HistoryEntry; orderId?: string | undefined; settled?: boolean },
  ): Promise<void> {
    if (this.isFull) return;
    const { row, entry, orderId = null, settled = false } = of;
    const finding: Finding = {
      provider: this.#provider,
      day: this.#day,
      kind,
      subject,
      provider_id: providerId,
      order_id: row?.order_id ?? orderId,
      amount_here: row?.amount ?? null,
      amount_there: entry?.amount ?? null,
      currency: entry?.currency ?? row?.currency ?? null,
      status: settled ? "settled" : "open",
    };
    logger[settled ? "info" : "error"](finding, "our books differ from the provider's");
    this.report.findings.push(finding);
    await storeFinding(finding);
  }

  /** Notes that the provider has these, and settles what was found of those that are equal. */
  async #confirm(kind: Kind, ids: readonly string[], equal: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await alone(`UPDATE ${tables[kind]} SET reconciled_at = now() WHERE id = ANY($1) AND reconciled_at IS NULL`, [
        ids,
      ]);
    await settleFindings(this.#provider, kind, equal);
  }
}
