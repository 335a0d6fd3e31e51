import type { Facts, Topic } from "#shared/contracts/facts.ts";
import { query } from "#shared/db/query.ts";

/**
 * Keeps every fact that is published while the tests of a `describe` run; after `useDatabase`. A relay may be at work in
 * the process, so what is in the outbox may be gone by the time a test looks.
 */
export function useFacts() {
  before(async () => {
    await query("CREATE TABLE published_facts (id bigserial PRIMARY KEY, topic text, payload jsonb)");
    await query(`CREATE FUNCTION keep_fact() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO published_facts (topic, payload) VALUES (NEW.topic, NEW.payload); RETURN NEW; END $$`);
    await query("CREATE TRIGGER keep_fact AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION keep_fact()");
  });
  after(async () => {
    await query("DROP FUNCTION keep_fact() CASCADE");
    await query("DROP TABLE published_facts");
  });
  return {
    /** Payloads of this topic that have these members, in the order in which they were written. */
    async of<T extends Topic>(topic: T, members: Partial<Facts[T]>): Promise<Facts[T][]> {
      const rows = await query<{ payload: Facts[T] }>(
        "SELECT payload FROM published_facts WHERE topic = $1 AND payload @> $2 ORDER BY id",
        [topic, JSON.stringify(members)],
      );
      return rows.map(({ payload }) => payload);
    },
  };
}
