import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { EventDelivery, EventReplay, EventTest } from "#shared/contracts/views.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { post, unsealed } from "#shared/domain/base/webhooks/sender.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { seal } from "#shared/kernel/seal.ts";
import { newSecret } from "#shared/kernel/standard-webhooks.ts";
import { EventEndpointModel } from "./endpoint.model.ts";
import { managedEventEndpoints } from "./managed-endpoints.ts";
import { operatorEndpoints } from "./send-events.ts";
import { loadWanted } from "./wanted.ts";

/** How long the previous secret signs after a rotation, hours. */
export const overlapHours = 24;

export type EndpointWithSecret = ManagedRecord & { readonly secret: string };

/** How many events are counted that a replay sends. */
const replayCountMax = 10_000;

const target = (id: string) => ({ type: managedEventEndpoints.name, id });
const sealSecret = (id: string, secret: string): string => seal(operatorEndpoints.sealedFor(id), secret);

/**
 * Creates an endpoint, which gets what happens from now on. Its secret is in this result and nowhere else.
 * @throws VALIDATION_ERROR for an address that is never called, CONFLICT when there are 20
 */
export async function createEventEndpoint(
  caller: AdminPrincipal,
  input: Readonly<Record<string, unknown>>,
): Promise<EndpointWithSecret> {
  const secret = newSecret();
  const record = await createManaged(caller, managedEventEndpoints, input, async (tx, id) => {
    await tx.query(
      `UPDATE event_endpoints SET secret_sealed = $2, position = (SELECT coalesce(max(position), 0) FROM event_log)
       WHERE id = $1`,
      [id, sealSecret(id, secret)],
    );
  });
  // What this process records from now on is not missed.
  await loadWanted();
  return { ...record, secret };
}

/** Gives an endpoint another secret. For a day, the previous one signs, too. @throws NOT_FOUND */
export async function rotateEventSecret(caller: AdminPrincipal, id: string): Promise<EndpointWithSecret> {
  const secret = newSecret();
  await inTransaction(async (tx) => {
    const rotated = await tx.query(
      `UPDATE event_endpoints SET previous_secret_sealed = secret_sealed, secret_sealed = $2,
         previous_until = now() + interval '${overlapHours} hours', updated_at = now(), version = version + 1
       WHERE id = $1 RETURNING 1`,
      [id, sealSecret(id, secret)],
    );
    if (rotated.length === 0) throw new DomainError("NOT_FOUND");
    await tx.audit(caller, { action: "event_endpoint.rotate_secret", target: target(id) });
  });
  return { ...(await getManaged(managedEventEndpoints, id)), secret };
}

/**
 * Pauses an endpoint, or resumes it: then it gets what happened meanwhile, as far as the log reaches.
 * @throws NOT_FOUND, CONFLICT if that is so already
 */
export async function pauseEventEndpoint(
  caller: AdminPrincipal,
  id: string,
  isPaused: boolean,
): Promise<ManagedRecord> {
  await inTransaction(async (tx) => {
    const endpoint = await lockEndpoint(tx, id);
    if ((endpoint.disabled_at !== null) === isPaused)
      throw isPaused
        ? new DomainError("CONFLICT", "This endpoint is paused already.")
        : new DomainError("CONFLICT", "This endpoint isn't paused.");
    await EventEndpointModel.change(
      tx,
      { id },
      { disabled_at: isPaused ? isoNow() : null, failing_since: null, version: endpoint.version + 1 },
    );
    await tx.audit(caller, { action: `event_endpoint.${isPaused ? "pause" : "resume"}`, target: target(id) });
  });
  return getManaged(managedEventEndpoints, id);
}

async function lockEndpoint(tx: Tx, id: string) {
  const endpoint = await EventEndpointModel.lock(tx, { id }, ["version", "disabled_at"]);
  if (!endpoint) throw new DomainError("NOT_FOUND");
  return endpoint;
}

/**
 * Has an endpoint get the events of the log again that happened since a time, with the same IDs.
 * @throws NOT_FOUND
 */
export const replayEvents = (caller: AdminPrincipal, id: string, from: string): Promise<EventReplay> =>
  inTransaction(async (tx) => {
    await lockEndpoint(tx, id);
    const replay = await placeInLog(tx, from);
    await EventEndpointModel.change(tx, { id }, { position: replay.position });
    await tx.audit(caller, { action: "event_endpoint.replay", target: target(id), after: { from } });
    return { begins_at: replay.begins_at, events: replay.events };
  });

/** Step: returns the position before the events since a time, when they begin, and how many there are at least. */
export async function placeInLog(tx: Tx, from: string): Promise<EventReplay & { readonly position: number }> {
  // Events of a moment may be logged in another order than they happened.
  const [found] = await tx.query<{ position: number; begins_at: string | null; events: number }>(
    `WITH first AS (
       SELECT min(position) AS position, min(created_at) AS created_at FROM (
         SELECT position, created_at FROM event_log WHERE created_at >= $1 ORDER BY created_at LIMIT 1000) AS soon
     )
     SELECT coalesce(first.position - 1, (SELECT coalesce(max(position), 0) FROM event_log)) AS position,
       first.created_at AS begins_at,
       (SELECT count(*) FROM (SELECT 1 FROM event_log WHERE position >= first.position LIMIT ${replayCountMax}) AS n) AS events
     FROM first`,
    [from],
  );
  return found!;
}

const shownDelivery = `d.id, d.event_id, d.type, d.event_key AS key, d.status, d.tries, d.next_try_at, d.response_status, d.error,
  d.body::jsonb AS payload, d.created_at, d.delivered_at`;

/** Returns a page of the deliveries of an endpoint, the newest first. @throws NOT_FOUND */
export async function listEventDeliveries(
  id: string,
  { status, type }: { readonly status?: string | undefined; readonly type?: string | undefined },
  page: PageQuery,
): Promise<Page<EventDelivery>> {
  if (!(await EventEndpointModel.read({ id }, ["id"]))) throw new DomainError("NOT_FOUND");
  const where = `d.event_endpoint_id = $1 AND ($2::text IS NULL OR d.status = $2) AND ($3::text IS NULL OR d.type = $3)`;
  return queryPage<EventDelivery>(
    {
      count: `SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries d WHERE ${where} LIMIT 10000) AS counted`,
      rows: `SELECT ${shownDelivery} FROM webhook_deliveries d WHERE ${where} ORDER BY d.event_position DESC LIMIT $4 OFFSET $5`,
    },
    [id, status ?? null, type ?? null],
    page,
    queryAnywhere,
  );
}

/**
 * Sends a delivery again, with the same ID and payload.
 * @throws NOT_FOUND, CONFLICT when it is pending, or the endpoint is paused
 */
export const resendEventDelivery = (caller: AdminPrincipal, id: string, deliveryId: string): Promise<EventDelivery> =>
  inTransaction(async (tx) => {
    const { disabled_at } = await lockEndpoint(tx, id);
    if (disabled_at !== null) throw new DomainError("CONFLICT", "This endpoint is paused. Resume it first.");
    const [found] = await tx.query<{ status: string }>(
      "SELECT status FROM webhook_deliveries WHERE id = $1 AND event_endpoint_id = $2 FOR UPDATE",
      [deliveryId, id],
    );
    if (!found) throw new DomainError("NOT_FOUND");
    if (found.status === "pending") throw new DomainError("CONFLICT", "This delivery is pending.");
    const [resent] = await tx.query<EventDelivery & Record<string, unknown>>(
      `UPDATE webhook_deliveries d SET status = 'pending', tries = 0, next_try_at = now(), delivered_at = NULL
       WHERE d.id = $1 RETURNING ${shownDelivery}`,
      [deliveryId],
    );
    await tx.audit(caller, { action: "event_endpoint.resend", target: target(id), after: { delivery_id: deliveryId } });
    return resent!;
  });

/** Sends an endpoint a body of the type `test` now, and returns how it was answered. @throws NOT_FOUND */
export async function testEventEndpoint(caller: AdminPrincipal, id: string): Promise<EventTest> {
  const endpoint = await inTransaction(async (tx) => {
    const found = await EventEndpointModel.lock(tx, { id }, ["url", "secret_sealed"]);
    if (!found) throw new DomainError("NOT_FOUND");
    await tx.audit(caller, { action: "event_endpoint.test", target: target(id) });
    return found;
  });
  const body = JSON.stringify({ type: "test", timestamp: isoNow(), data: {} });
  const secrets = unsealed(operatorEndpoints, id, [endpoint.secret_sealed!]);
  const { status, error } = await post(operatorEndpoints.reach, endpoint.url, { secrets, id: newId(), body });
  return { response_status: status, error };
}
