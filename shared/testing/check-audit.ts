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
  const repeated = idempotentCall && succeeded.has(idempotentCall);
  if (idempotentCall) succeeded.add(idempotentCall);

  const body = call.body instanceof URLSearchParams ? Object.fromEntries(call.body) : (call.body ?? {});
  const { pathname, searchParams } = new URL(call.path, "http://localhost");
  const req = { params: paramsOf(route, pathname), query: Object.fromEntries(searchParams) };
  const targets = repeated ? [] : (route.audit?.targetsOf({ req, body, check: checkInput }, answer.body.data) ?? []);

  const requestId = answer.headers.get("x-request-id");
  const written = await query<{ action: string; type: string; id: string }>(
    "SELECT action, target_type AS type, target_id AS id FROM audit_log WHERE request_id = $1 ORDER BY id",
    [requestId],
  );
  const text = JSON.stringify(answer.body);
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

function paramsOf({ path }: Route, pathname: string): Record<string, string> {
  const segments = pathname.split("/");
  const named = path.split("/").map((part, index) => [part, decodeURIComponent(segments[index]!)] as const);
  return Object.fromEntries(
    named.filter(([part]) => part.startsWith(":")).map(([part, value]) => [part.slice(1), value]),
  );
}
