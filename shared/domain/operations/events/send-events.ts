import { setInterval } from "node:timers";
import pLimit from "p-limit";
import { query } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type Endpoints, sendDelivery } from "#shared/domain/base/webhooks/sender.ts";
import { logger } from "#shared/kernel/logger.ts";
import { EventEndpointModel, type EventFilter } from "./endpoint.model.ts";
import { type LogRow, readLog } from "./event-log.ts";
import { everyKind, isAnyWanted } from "./wanted.ts";

/** The endpoints of the operator. */
export const operatorEndpoints: Endpoints = {
  table: "event_endpoints",
  column: "event_endpoint_id",
  reach: "own network",
  secrets:
    "ARRAY[e.secret_sealed] || CASE WHEN e.previous_until > now() THEN ARRAY[e.previous_secret_sealed] ELSE '{}' END",
  sealedFor: (id) => `event endpoint ${id}`,
  isNext: `(NOT e.ordered OR NOT EXISTS (
    SELECT 1 FROM webhook_deliveries earlier WHERE earlier.event_endpoint_id = d.event_endpoint_id
      AND earlier.event_key = d.event_key AND earlier.event_position < d.event_position AND earlier.status = 'pending'))`,
};

/** How often a process looks for something to send, milliseconds. */
const lookMs = 500;
/** The most deliveries of an endpoint that wait. What follows stays in the log. */
const waitingMax = 1000;
const readMost = 500;
/** How many deliveries are sent to an endpoint at a time; while it fails, one. */
const [batchSize, atOnce] = [100, 10];
/** How long an endpoint that fails is left alone after a try, milliseconds. */
const restMs = 5000;

interface Endpoint {
  readonly id: string;
  readonly position: number;
  readonly kinds: readonly string[];
  readonly filter: EventFilter | null;
}

const matches = ({ kinds, filter }: Endpoint, { kind, data }: LogRow): boolean =>
  (kinds.includes(kind) || kinds.includes(everyKind)) &&
  (filter === null || filter.values.includes(String(data[filter.field])));

/** Gives an endpoint the next events of the log. Returns whether there may be more. One process at a time does it. */
const giveEvents = (id: string): Promise<boolean> =>
  inTransaction(async (tx) => {
    const [endpoint] = await tx.query<Endpoint & { waiting: number }>(
      `SELECT id, position, kinds, filter, (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries
         WHERE event_endpoint_id = $1 AND status = 'pending' LIMIT ${waitingMax}) AS counted) AS waiting
       FROM event_endpoints WHERE id = $1 AND disabled_at IS NULL FOR UPDATE SKIP LOCKED`,
      [id],
    );
    const most = endpoint ? Math.min(readMost, waitingMax - endpoint.waiting) : 0;
    const rows = most > 0 ? await readLog(endpoint!.position, most) : [];
    if (rows.length === 0) return false;
    await queue(
      tx,
      id,
      rows.filter((row) => matches(endpoint!, row)),
    );
    await EventEndpointModel.change(tx, { id }, { position: rows.at(-1)!.position });
    return rows.length === most;
  });

/** Step: queues events for an endpoint. Those that it has had are sent again. */
async function queue(tx: Tx, id: string, rows: readonly LogRow[]): Promise<void> {
  if (rows.length === 0) return;
  const bodies = rows.map((row) => ({
    ...{ type: row.kind, event_id: row.id, key: row.key, position: row.position },
    body: JSON.stringify({ type: row.kind, timestamp: row.created_at, data: row.data }),
  }));
  await tx.query(
    `INSERT INTO webhook_deliveries (id, event_endpoint_id, type, body, event_id, event_key, event_position, next_try_at)
     SELECT uuidv7(), $1, type, body, event_id, key, position, now()
     FROM jsonb_to_recordset($2) AS e (type text, body text, event_id uuid, key text, position bigint) ORDER BY position
     ON CONFLICT (event_endpoint_id, event_position) WHERE event_endpoint_id IS NOT NULL DO UPDATE
       SET status = 'pending', tries = 0, next_try_at = now(), delivered_at = NULL
       WHERE webhook_deliveries.status <> 'pending'`,
    [id, JSON.stringify(bodies)],
  );
}

/** Sends what is due to an endpoint. Returns whether to go on at once. */
async function sendDue(id: string): Promise<boolean> {
  const due = await query<{ id: string; is_failing: boolean }>(
    `SELECT d.id, e.failing_since IS NOT NULL AS is_failing FROM webhook_deliveries d
       JOIN event_endpoints e ON e.id = d.event_endpoint_id
     WHERE d.event_endpoint_id = $1 AND d.status = 'pending' AND d.next_try_at <= now() AND e.disabled_at IS NULL
       AND ${operatorEndpoints.isNext} ORDER BY d.event_position LIMIT ${batchSize}`,
    [id],
  );
  const isFailing = due[0]?.is_failing ?? false;
  const limited = pLimit(atOnce);
  const tried = await limited.map(isFailing ? due.slice(0, 1) : due, (one) => sendDelivery(operatorEndpoints, one.id));
  const recovered = tried.find((one) => one?.failedSince);
  // After an outage, not after a single failure, it gets at once what it missed.
  if (recovered)
    await alone(
      `UPDATE webhook_deliveries SET next_try_at = now() WHERE event_endpoint_id = $1 AND status = 'pending'
         AND tries > 0 AND $2::timestamptz < now() - interval '1 minute'`,
      [id, recovered.failedSince],
    );
  return tried.some((one) => one?.ok);
}

/**
 * Sends events to the endpoints of the operator, each by itself, so that none waits for another. Several processes may
 * do this: rows decide who sends what. Returns a function that ends it after what is under way.
 */
export function startEventSender(): () => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  const restUntil = new Map<string, number>();
  let isEnding = false;

  const drain = async (id: string): Promise<void> => {
    try {
      for (let more = true; more && !isEnding; ) {
        const given = await giveEvents(id);
        const sent = await sendDue(id);
        more = given || sent;
      }
    } catch (error) {
      logger.warn({ err: error, endpointId: id }, "events could not be sent to an endpoint; they are tried again");
      restUntil.set(id, performance.now() + restMs);
    } finally {
      underWay.delete(id);
    }
  };
  const look = async (): Promise<void> => {
    if (!isAnyWanted() || isEnding) return;
    const endpoints = await query<{ id: string; is_failing: boolean }>(
      "SELECT id, failing_since IS NOT NULL AS is_failing FROM event_endpoints WHERE disabled_at IS NULL",
    );
    for (const { id, is_failing } of endpoints) {
      if (underWay.has(id) || (restUntil.get(id) ?? 0) > performance.now()) continue;
      if (is_failing) restUntil.set(id, performance.now() + restMs);
      underWay.set(id, drain(id));
    }
  };
  const timer = setInterval(
    () => void look().catch((error: unknown) => logger.warn({ err: error }, "the endpoints could not be read")),
    lookMs,
  );
  return async () => {
    isEnding = true;
    clearInterval(timer);
    await Promise.all(underWay.values());
  };
}
