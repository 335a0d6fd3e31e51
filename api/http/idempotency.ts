import { line } from "#shared/contracts/fields.ts";
import { principalId } from "#shared/contracts/principal.ts";
import { hashRequest, type IdempotentCall } from "#shared/db/idempotency.ts";
import type { RawCall, Untyped } from "./route.ts";

const idempotencyKey = line(1, 255).label("Idempotency-Key");

/** Returns a key in a form; undefined for what is none, which the form's check refuses. */
const keyIn = (typed: unknown): string | undefined => {
  const { error, value } = idempotencyKey.required().validate(typed);
  return error ? undefined : value;
};

/** Returns what makes a call idempotent, in the scope of its caller and operation; undefined without a key. */
export function idempotencyOf(
  { method, path, idempotencyField }: Untyped,
  raw: RawCall,
  { params, body }: { readonly params: unknown; readonly body: unknown },
): IdempotentCall | undefined {
  const { [idempotencyField ?? ""]: inForm, ...form } = body as Record<string, unknown>;
  const header = raw.req.headers["idempotency-key"];
  const key = header === undefined ? keyIn(inForm) : raw.check(idempotencyKey, header);
  if (key === undefined || raw.caller === null) return undefined;
  const fields = Object.entries(form).map(([name, value]) => [name, typeof value === "number" ? `${value}` : value]);
  const request = { params, body: idempotencyField ? Object.fromEntries(fields) : body };
  return { scope: `${principalId(raw.caller)} ${method} ${path}`, key, requestHash: hashRequest(request) };
}
