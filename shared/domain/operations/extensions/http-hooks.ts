import Joi from "joi";
import { type Principal, principalId } from "#shared/contracts/principal.ts";
import { keepCurrent } from "#shared/db/keep-current.ts";
import { query } from "#shared/db/query.ts";
import { askWebhook } from "#shared/domain/base/webhooks/post-webhook.ts";
import type { Hooked } from "#shared/extension/define.ts";
import { guarded, type HookTarget, type PlacedHook, setHttpHooks } from "#shared/extension/hooks.ts";
import { clock, isoNow } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import { newId } from "#shared/kernel/ids.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";

export const sealedFor = (id: string): string => `http hook ${id}`;

interface HookRow {
  readonly id: string;
  readonly moment: "before" | "after";
  readonly target: HookTarget;
  readonly url: string;
  readonly deadline_ms: number;
  readonly failure: "open" | "closed";
  readonly secret_sealed: string;
  readonly previous_secret_sealed: string | null;
  readonly previous_until: string | null;
}

const answerSchema = Joi.object({
  input: Joi.object().unknown(),
  refuse: Joi.object({
    code: Joi.string()
      .pattern(/^[A-Z][A-Z0-9_]{2,59}$/)
      .required(),
    message: Joi.string().min(1).max(300).required(),
  }),
}).oxor("input", "refuse");

/** What no server is told: passwords, tokens, and codes. */
const isSecret = (field: string): boolean => /password|token|secret|code$|otp|credential|signature/i.test(field);

const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (isSecret(name) ? [] : [[name, withoutSecrets(inner)]])),
  );
};

const callerOf = (caller: Principal | null) =>
  caller && { kind: caller.kind, ...(caller.kind !== "service" && { id: principalId(caller) }) };

/** Returns the secrets that sign now, the newest first. @throws Error for one that can't be decrypted */
const secretsOf = ({ id, secret_sealed, previous_secret_sealed, previous_until }: HookRow): string[] => {
  const previous = previous_until !== null && Date.parse(previous_until) > clock.now() ? previous_secret_sealed : null;
  return [secret_sealed, ...(previous === null ? [] : [previous])].map((sealed) => {
    const secret = unseal(sealedFor(id), sealed);
    if (!secret) throw new Error("its secret can't be decrypted");
    return secret;
  });
};

/** Asks the server. @throws DomainError for what it refuses, Error for what is no answer */
async function ask(hook: HookRow, { name, caller, input, result }: Hooked & { readonly result?: unknown }) {
  const data = {
    name,
    caller: callerOf(caller),
    input: withoutSecrets(input),
    ...(result !== undefined && { result: withoutSecrets(result) }),
  };
  const body = JSON.stringify({ type: `${hook.moment}.${hook.target}`, timestamp: isoNow(), data });
  const headers = signedHeaders(secretsOf(hook), newId(), Math.floor(clock.now() / 1000), body);
  const { status, text } = await askWebhook(hook.url, headers, body, "own network", hook.deadline_ms);
  if (status < 200 || status > 299) throw new Error(`the server answered ${status}`);
  if (hook.moment === "after" || text.trim() === "") return undefined;
  const { value, error } = answerSchema.validate(JSON.parse(text));
  if (error) throw new Error("the server's answer makes no sense");
  if (value.refuse) throw new DomainError(value.refuse.code as ErrorCode, value.refuse.message);
  return value.input as object | undefined;
}

const placed = (row: HookRow): PlacedHook => [
  row.moment,
  row.target,
  guarded({
    name: `${row.id} ${row.moment} ${row.target}`,
    isOn: () => true,
    failure: row.failure,
    deadlineMs: row.deadline_ms,
    run: (hooked) => ask(row, hooked),
  }),
];

/** Reads the hooks. */
export const loadHttpHooks = keepCurrent("hooks.changed", async () => {
  const rows = await query<HookRow & Record<string, unknown>>(
    `SELECT id, moment, target, url, deadline_ms, failure, secret_sealed, previous_secret_sealed, previous_until
     FROM http_hooks ORDER BY id`,
  );
  setHttpHooks(rows.map(placed));
});
