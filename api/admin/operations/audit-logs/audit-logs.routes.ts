import { exampleIds } from "#shared/contracts/examples.ts";
import {
  id,
  keysOf,
  object,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  plainTime,
  text,
  withDefault,
} from "#shared/contracts/fields.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { auditLogEntry } from "#shared/contracts/views.ts";
import { assertAdminActive } from "#shared/domain/operations/admins/admin-access.ts";
import {
  type AuditLogFilter,
  listAuditLogs,
  readAuditLogs,
} from "#shared/domain/operations/admins/audit-logs.queries.ts";
import { countMaxText } from "#shared/kernel/page.ts";
import { adminRead } from "../../../http/admin-route.ts";
import type { Route } from "../../../http/route.ts";

const listQuery = object({
  ...pageQuery,
  actor_id: optional(id(exampleIds.admin).description("An administrator.")),
  action: optional(text(1, 100, "user.suspend")),
  target_type: optional(text(1, 60, "user")),
  target_id: optional(text(1, 200, exampleIds.grace)),
  from: optional(plainTime("2026-01-01T00:00:00Z").description("The earliest time.")),
  to: optional(plainTime("2026-02-01T00:00:00Z").description("The time before which it ends.")),
  sort: withDefault(oneOf("-at", "at"), "-at"),
  format: withDefault(oneOf("json", "csv").description("`csv` downloads the whole list, newest first."), "json"),
});

const columns = keysOf(auditLogEntry);

/** The audit log, which is only ever read. */
export const auditLogRoutes = (): Route[] => [
  adminRead({
    tag: "Audit log",
    id: "listAuditLogs",
    method: "get",
    path: "/audit-logs",
    summary: "List audit log entries",
    description: `Returns who changed what, the newest first. ${countMaxText}`,
    permission: "audit_logs.read",
    query: listQuery,
    response: pageOf(auditLogEntry),
    csv: {
      fileName: "audit_logs",
      columns,
      rows: ({ caller, query }) => exportRows(caller, query),
    },
    handler: ({ query: { page, limit, ...filter } }) => listAuditLogs(filter, { page, limit }),
  }),
];

/** Ends with an error when the administrator may no longer call: an export can take minutes. */
async function* exportRows(caller: AdminPrincipal, filter: AuditLogFilter) {
  for await (const entries of readAuditLogs(filter)) {
    await assertAdminActive(caller);
    yield* entries.map((entry) => ({
      ...entry,
      before: entry.before && JSON.stringify(entry.before),
      after: entry.after && JSON.stringify(entry.after),
    }));
  }
}
