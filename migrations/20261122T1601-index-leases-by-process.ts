type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- A process that died is forgotten by each room that had users of it.
    CREATE INDEX online_users_process_idx ON online_users (process_id, user_id);
  `);
}
