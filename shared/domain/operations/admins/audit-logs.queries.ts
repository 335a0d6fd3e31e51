import type { AuditLogEntry } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { countMax, offsetOf, type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";

/** What the list is narrowed to, and its order. */
export interface AuditLogFilter {
  readonly actor_id?: string;
  readonly action?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  /** Inclusive. */
  readonly from?: string;
  /** Exclusive. */
  readonly to?: string;
  readonly sort: "at" | "-at";
}

/** Entries that are read at a time for a download. */
const batchSize = 1000;

const columns = `id, seq, at, principal_kind AS actor_kind, principal_id AS actor_id, role, action, target_type, target_id,
  before, after, reason, ip, user_agent, request_id, hash`;

const conditions = {
  actor_id: "principal_id =",
  action: "action =",
  target_type: "target_type =",
  target_id: "target_id =",
  from: "at >=",
  to: "at <",
} as const;

/** Returns the condition of the filters that have a value, and their values. */
function whereOf(filter: AuditLogFilter): { where: string; values: string[] } {
  const given = Object.entries(conditions).flatMap(([name, condition]) => {
    const value = filter[name as keyof typeof conditions];
    return value === undefined ? [] : [{ condition, value }];
  });
  const parts = given.map(({ condition }, index) => `${condition} $${index + 1}`);
  return { where: ["true", ...parts].join(" AND "), values: given.map(({ value }) => value) };
}

/** Returns a page of the audit log. Its total is at most `countMax`. */
export async function listAuditLogs(filter: AuditLogFilter, page: PageQuery): Promise<Page<AuditLogEntry>> {
  const { where, values } = whereOf(filter);
  const direction = filter.sort === "at" ? "ASC" : "DESC";
  const [limit, offset] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const beyond = offsetOf(page) >= countMax;
  const listed = await queryPage<AuditLogEntry>(
    {
      count: `SELECT count(*) FROM (SELECT 1 FROM audit_log WHERE ${where} LIMIT ${countMax}) AS counted`,
      rows: `SELECT ${columns} FROM audit_log WHERE ${where} ORDER BY at ${direction}, seq ${direction}
        LIMIT ${limit} OFFSET ${offset}`,
    },
    values,
    beyond ? { page: 1, limit: 1 } : page,
    queryAnywhere,
  );
  return toPage(beyond ? [] : listed.items, listed.total, page);
}

/** Yields all entries that match in batches, newest first. */
export async function* readAuditLogs(filter: AuditLogFilter): AsyncGenerator<AuditLogEntry[]> {
  const { where, values } = whereOf(filter);
  const [at, seq] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const text = `SELECT ${columns}, at::text AS exact_at FROM audit_log
    WHERE ${where} AND (at, seq) < (${at}::timestamptz, ${seq}::bigint) ORDER BY at DESC, seq DESC LIMIT ${batchSize}`;
  for (let last: readonly [at: string, seq: number] = ["infinity", Number.MAX_SAFE_INTEGER]; ; ) {
    const rows = await query<AuditLogEntry & { exact_at: string }>(text, [...values, ...last]);
    if (rows.length > 0) yield rows.map(({ exact_at, ...entry }) => entry);
    if (rows.length < batchSize) return;
    last = [rows.at(-1)!.exact_at, rows.at(-1)!.seq];
  }
}
