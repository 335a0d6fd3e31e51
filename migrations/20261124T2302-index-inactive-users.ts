type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Lists that leave out what belongs to inactive users look up each owner here: there are few, and most owners are not
    -- among them.
    CREATE INDEX users_inactive_idx ON users (id) WHERE status <> 'active';
  `);
}
