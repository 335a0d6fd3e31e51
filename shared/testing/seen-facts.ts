import type { Facts, Topic } from "#shared/contracts/facts.ts";
import { query } from "#shared/db/query.ts";

/**
 * Keeps the facts that are published while a `describe` runs: a relay may be at work in this process, so what is in the
 * outbox may be gone by the time one looks. Call it after `useDatabase`.
 */
export function useSeenFacts() {
  before("keeps facts", async () => {
    await query("CREATE TABLE kept_facts (no bigint GENERATED ALWAYS AS IDENTITY, topic text, payload jsonb)");
    await query(`CREATE FUNCTION keep_fact() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO kept_facts (topic, payload) VALUES (NEW.topic, NEW.payload); RETURN NEW; END $$`);
    await query("CREATE TRIGGER keep_fact AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION keep_fact()");
  });
  after("drops the facts kept", async () => {
    await query("DROP FUNCTION keep_fact() CASCADE");
    await query("DROP TABLE kept_facts");
  });
  return {
    /** The payloads of one topic that hold all of `members`, in the order in which they were published. */
    of: async <T extends Topic>(topic: T, members: Partial<Facts[T]>): Promise<Facts[T][]> => {
      const rows = await query<{ payload: Facts[T] }>(
        "SELECT payload FROM kept_facts WHERE topic = $1 AND payload @> $2 ORDER BY no",
        [topic, JSON.stringify(members)],
      );
      return rows.map(({ payload }) => payload);
    },
  };
}
