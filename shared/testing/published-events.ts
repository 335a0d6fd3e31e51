import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";

let keeping: Promise<void> | undefined;

/**
 * Keeps the events that are published from the first `describe` on that asks: a relay may be at work in this process, so
 * what is in the outbox may be gone by the time one looks. Call it after `useDatabase`. They are kept, in a schema of the
 * tests' own, as long as the worker's database: taking the trigger away would wait for every transaction that publishes.
 */
export function usePublishedEvents() {
  let earlier = 0;
  before("keeps events", async () => {
    keeping ??= keepEvents();
    await keeping;
    earlier = (await queryOne<{ no: number }>("SELECT coalesce(max(no), 0) AS no FROM testing.kept_events"))?.no ?? 0;
  });
  return {
    /** The payloads of one topic that hold all of `members`, in the order in which they were published. */
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
    // Transactions of jobs that are under way may take longer than a statement may wait.
    await tx.query("SELECT set_config('lock_timeout', '10s', true)");
    await tx.query(
      "CREATE TRIGGER keep_event AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION testing.keep_event()",
    );
  });
}
