type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Which version of a rule has acted, and what it tells people.
    ALTER TABLE held_content ADD COLUMN rule_version integer, ADD COLUMN reason text;
    ALTER TABLE media ADD COLUMN rule_id uuid, ADD COLUMN rule_version integer;
  `);
}
