import type { DomainEvent, Topic } from "#shared/contracts/domain-events.ts";
import { buryUnroutable, type Failure } from "./outbox-failures.ts";
import { recordSlot, routeSlot, type Slots, slotOf } from "./outbox-slots.ts";

const batchSize = 500;

/** Where an event goes. */
export interface Route {
  /** The user or room that something is recorded for, if anything is. */
  readonly recordFor: string | undefined;
  readonly pushTo: readonly string[];
}

interface OutboxRow {
  id: number;
  topic: Topic;
  payload: never;
}

/**
 * Moves a batch of events from the outbox to their deliveries, in the order of the commits. It never waits for
 * other work, so no event delays another. Returns the slots that got deliveries, and whether there may be more.
 */
export async function routeBatch(
  slots: Slots,
  routeOf: (event: DomainEvent) => Route,
): Promise<{ filled: readonly number[]; more: boolean }> {
  if (!slots.owns(routeSlot)) return { filled: [], more: false };
  const rows = await slots.query<OutboxRow>(`SELECT id, topic, payload FROM outbox ORDER BY id LIMIT ${batchSize}`);
  if (rows.length === 0) return { filled: [], more: false };

  const ids: number[] = [];
  const targets: string[] = [];
  const recorded: boolean[] = [];
  const failures: Failure[] = [];
  const add = (id: number, target: string, record: boolean) => {
    ids.push(id);
    targets.push(target);
    recorded.push(record);
  };
  for (const { id, topic, payload } of rows) {
    try {
      const { recordFor, pushTo } = routeOf({ topic, payload } as DomainEvent);
      if (recordFor !== undefined) add(id, recordFor, true);
      for (const target of new Set(pushTo)) add(id, target, false);
    } catch (error) {
      failures.push({ delivery: { id, topic, attempts: 0 }, error });
    }
  }
  await buryUnroutable(slots, failures);

  // One statement, on the connection that holds the lock: a process that has lost the lock moves nothing.
  const filled = await slots.query<{ slot: number }>(
    `WITH gone AS (
       DELETE FROM outbox WHERE id = ANY($1::bigint[]) RETURNING id, topic, payload, created_at
     ), routed AS (
       INSERT INTO outbox_deliveries (topic, payload, slot, target, created_at)
       SELECT topic, payload, CASE WHEN recorded THEN ${recordSlot} ELSE ${slotOf("target")} END, target, created_at
       FROM unnest($2::bigint[], $3::text[], $4::bool[]) WITH ORDINALITY AS route (id, target, recorded, place)
         JOIN gone USING (id)
       ORDER BY place
       RETURNING slot
     )
     SELECT DISTINCT slot FROM routed`,
    [rows.map(({ id }) => id), ids, targets, recorded],
  );
  return { filled: filled.map(({ slot }) => slot), more: rows.length === batchSize };
}
