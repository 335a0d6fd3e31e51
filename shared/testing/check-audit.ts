import { AssertionError } from "chai";
import { query } from "#shared/db/query.ts";
import type { Api } from "../../api/http/api.ts";
import type { Route } from "../../api/http/route.ts";
import type { Answer, CallOptions } from "./service.ts";

/** Idempotent calls that succeeded: a repeated one is audited only once. */
const succeeded = new Set<string>();

/**
 * Checks that a successful call of an admin API left exactly the audit entries that its entry declares, and none if it
 * only reads or repeats an idempotent call.
 * @throws AssertionError
 */
export async function checkAudit(
  { checkInput, basePath }: Pick<Api, "checkInput" | "basePath">,
  route: Route,
  call: CallOptions & { readonly path: string },
  answer: Answer,
): Promise<void> {
  const name = `${route.method.toUpperCase()} ${basePath}${route.path}`;
  const key = call.headers?.["idempotency-key"] ?? call.headers?.["Idempotency-Key"];
  const idempotentCall = route.idempotent && key && `${name} ${call.token} ${key}`;

  const body = call.body instanceof URLSearchParams ? Object.fromEntries(call.body) : (call.body ?? {});
  const { pathname, searchParams } = new URL(call.path, "http://localhost");
  const req = { params: paramsOf(route, pathname), query: Object.fromEntries(searchParams) };
  const expected = route.audit?.targetsOf({ req, body, check: checkInput }, answer.body.data) ?? [];

  const requestId = answer.headers.get("x-request-id");
  const written = await query<{ action: string; type: string; id: string }>(
    "SELECT action, target_type AS type, target_id AS id FROM audit_log WHERE request_id = $1 ORDER BY id",
    [requestId],
  );
  const text = JSON.stringify(answer.body);
  // Of calls with the same key at the same time, the first to be answered need not be the one that was executed.
  const areAudited = async () => {
    const found = expected.map((target) => isAudited(target.action ?? route.audit?.action, target, text));
    return (await Promise.all(found)).every(Boolean);
  };
  const isRepeated = async () =>
    succeeded.has(String(idempotentCall)) || (written.length === 0 && (await areAudited()));
  const targets = idempotentCall && (await isRepeated()) ? [] : expected;
  if (idempotentCall && written.length > 0) succeeded.add(idempotentCall);
  const missing = targets.filter(
    ({ type, id, action = route.audit?.action }) =>
      !written.some(
        (entry) =>
          entry.action === action &&
          entry.type === type &&
          (id === undefined ? text.includes(entry.id) : entry.id === id),
      ),
  );
  if (!requestId || missing.length > 0 || written.length !== targets.length)
    throw new AssertionError(
      `${name} must leave ${targets.length} audit entries: ${route.audit?.action} of ${JSON.stringify(targets)}. ` +
        `Request ${requestId} left ${JSON.stringify(written)}.`,
    );
}

interface Target {
  readonly type: string;
  readonly id?: string | undefined;
}

async function isAudited(action: string | undefined, { type, id }: Target, text: string): Promise<boolean> {
  const which = "action = $1 AND target_type = $2 AND (target_id = $3 OR $3 IS NULL AND position(target_id IN $4) > 0)";
  return (await query(`SELECT 1 FROM audit_log WHERE ${which} LIMIT 1`, [action, type, id ?? null, text])).length > 0;
}

function paramsOf({ path }: Route, pathname: string): Record<string, string> {
  const segments = pathname.split("/");
  const named = path.split("/").map((part, index) => [part, decodeURIComponent(segments[index]!)] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(":")).map(([part, value]) => [part.slice(1), value]),
  );
}
