import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import { postWebhook, type Reach, UndeliverableError } from "./post-webhook.ts";

/** The endpoints of one kind of owner. All share the table `webhook_deliveries`. The parts are constant SQL. */
export interface Endpoints {
  readonly table: string;
  /** The column of a delivery that names its endpoint. */
  readonly column: string;
  readonly reach: Reach;
  /** Array of the sealed secrets of the endpoint `e` that sign, the newest first. */
  readonly secrets: string;
  /** What the secrets of an endpoint are sealed with. */
  readonly sealedFor: (id: string) => string;
  /** Whether the delivery `d` to the endpoint `e` may be sent before others that wait. Default: always. */
  readonly isNext?: string;
  /** Step: what becomes of the deliveries of an endpoint that was disabled because it is dead. Default: they wait. */
  readonly disabled?: (tx: Tx, id: string) => void;
}

const [minute, hour] = [60, 3600];
/**
 * Seconds until each further try, the schedule of the Standard Webhooks specification: a bit more than a day in all.
 */
export const pauses = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;
/** How long an endpoint may fail until it is disabled, days. */
export const failingDaysMax = 5;
/** How long a process has a delivery for itself, seconds. Another one takes over then. */
const claimSeconds = 60;

/** What became of a try; with `pause`, it is repeated after so many seconds. */
export interface Tried {
  readonly ok: boolean;
  readonly pause?: number;
  /** Since when the endpoint had failed before it answered. */
  readonly failedSince?: string | null;
}

interface Claimed {
  readonly body: string;
  readonly tries: number;
  readonly endpoint_id: string;
  readonly header_id: string;
  readonly url: string;
  readonly secrets: readonly string[];
}

/** Lets this process send a delivery that is due, for a time. Returns undefined if another one does, or none must. */
const claim = (of: Endpoints, id: string): Promise<Claimed | undefined> =>
  alone<Claimed & Record<string, unknown>>(
    `UPDATE webhook_deliveries d SET tries = tries + 1, next_try_at = now() + $2 * interval '1 second'
     FROM ${of.table} e
     WHERE d.id = $1 AND d.status = 'pending' AND d.next_try_at <= now() AND e.id = d.${of.column}
       AND e.disabled_at IS NULL AND ${of.isNext ?? "true"}
     RETURNING d.body, d.tries, e.id AS endpoint_id, coalesce(d.event_id, d.id) AS header_id, e.url,
       ${of.secrets} AS secrets`,
    [id, claimSeconds],
  ).then(([row]) => row);

/** Returns the secrets that sign what is sent to an endpoint. */
export const unsealed = (of: Endpoints, endpointId: string, sealed: readonly string[]): string[] =>
  sealed.map((one) => {
    const secret = unseal(of.sealedFor(endpointId), one);
    assert(secret, "the secret of a webhook can be decrypted");
    return secret;
  });

interface Outcome {
  readonly status: number | null;
  /** Null for a success. */
  readonly error: string | null;
}

/** Signs and posts a body. Returns how it was answered. */
export async function post(
  reach: Reach,
  url: string,
  { secrets, id, body }: { readonly secrets: readonly string[]; readonly id: string; readonly body: string },
): Promise<Outcome> {
  const headers = signedHeaders(secrets, id, Math.floor(clock.now() / 1000), body);
  try {
    const status = await postWebhook(url, headers, body, reach);
    return { status, error: status >= 200 && status < 300 ? null : `The answer was ${status}.` };
  } catch (error) {
    if (error instanceof UndeliverableError) return { status: null, error: error.message };
    throw error;
  }
}

/**
 * Sends a delivery, and records the outcome. A server can get it more than once, always with the same ID. Returns
 * undefined if it isn't due, or another process sends it.
 */
export async function sendDelivery(of: Endpoints, id: string): Promise<Tried | undefined> {
  const claimed = await claim(of, id);
  if (!claimed) return undefined;
  const secrets = unsealed(of, claimed.endpoint_id, claimed.secrets);
  const outcome = await post(of.reach, claimed.url, { secrets, id: claimed.header_id, body: claimed.body });
  return outcome.error === null
    ? recordSuccess(of, id, claimed, outcome.status)
    : recordFailure(of, id, claimed, outcome);
}

const recordSuccess = (of: Endpoints, id: string, { endpoint_id }: Claimed, status: number | null): Promise<Tried> =>
  inTransaction(async (tx) => {
    await tx.query(
      `UPDATE webhook_deliveries SET status = 'delivered', delivered_at = now(), next_try_at = NULL, error = NULL,
         response_status = $2 WHERE id = $1`,
      [id, status],
    );
    const [recovered] = await tx.query<{ since: string }>(
      `UPDATE ${of.table} e SET failing_since = NULL FROM (SELECT id, failing_since FROM ${of.table} WHERE id = $1) AS was
       WHERE e.id = was.id AND e.failing_since IS NOT NULL RETURNING was.failing_since AS since`,
      [endpoint_id],
    );
    return { ok: true, failedSince: recovered?.since ?? null };
  });

const recordFailure = (
  of: Endpoints,
  id: string,
  { endpoint_id, tries }: Claimed,
  { status, error }: Outcome,
): Promise<Tried> =>
  inTransaction(async (tx) => {
    const pause = pauses[tries - 1];
    const failed = await tx.query(
      `UPDATE webhook_deliveries SET response_status = $2, error = $3,
         status = CASE WHEN $4::integer IS NULL THEN 'failed' ELSE status END,
         next_try_at = now() + $4::integer * interval '1 second'
       WHERE id = $1 AND status = 'pending' RETURNING 1`,
      [id, status, error, pause ?? null],
    );
    // The endpoint was deleted meanwhile.
    if (failed.length === 0) return { ok: false };

    // 410 Gone: the server no longer wants any.
    const [endpoint] = await tx.query<{ is_disabled: boolean }>(
      `UPDATE ${of.table} SET failing_since = coalesce(failing_since, now()),
         disabled_at = CASE WHEN $2 = 410 OR failing_since < now() - interval '${failingDaysMax} days' THEN now() END
       WHERE id = $1 AND disabled_at IS NULL RETURNING disabled_at IS NOT NULL AS is_disabled`,
      [endpoint_id, status],
    );
    if (!endpoint?.is_disabled) return { ok: false, ...(pause !== undefined && { pause }) };
    of.disabled?.(tx, endpoint_id);
    return { ok: false };
  });
