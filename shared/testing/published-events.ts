import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";

let keeping: Promise<void> | undefined;

/**
 * Records published events from the first `describe` that calls this, because a relay in this process may have removed
 * them from the outbox already. Call it after `useDatabase`. The trigger and its schema stay for the lifetime of the
 * worker's database: dropping the trigger would wait for all publishing transactions.
 */
export function usePublishedEvents() {
  let earlier = 0;
  before("keeps events", async () => {
    keeping ??= keepEvents();
    await keeping;
    earlier = (await queryOne<{ no: number }>("SELECT coalesce(max(no), 0) AS no FROM testing.kept_events"))?.no ?? 0;
  });
  return {
    /** Returns the payloads of a topic that contain all of `members`, in the order of publication. */
    of: async <T extends Topic>(topic: T, members: Partial<DomainEvents[T]>): Promise<DomainEvents[T][]> => {
      const rows = await query<{ payload: DomainEvents[T] }>(
        "SELECT payload FROM testing.kept_events WHERE topic = $1 AND payload @> $2 AND no > $3 ORDER BY no",
        [topic, JSON.stringify(members), earlier],
      );
      return rows.map(({ payload }) => payload);
    },
  };
}

async function keepEvents(): Promise<void> {
  await query("CREATE SCHEMA testing");
  await query("CREATE TABLE testing.kept_events (no bigint GENERATED ALWAYS AS IDENTITY, topic text, payload jsonb)");
  await query(`CREATE FUNCTION testing.keep_event() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO testing.kept_events (topic, payload) VALUES (NEW.topic, NEW.payload); RETURN NEW; END $$`);
  await inTransaction(async (tx) => {
    // Running transactions of jobs may take longer than the lock timeout.
    await tx.query("SELECT set_config('lock_timeout', '10s', true)");
    await tx.query(
      "CREATE TRIGGER keep_event AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION testing.keep_event()",
    );
  });
}
