type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Read whenever a process starts or has lost its signals: who was suspended in the last minutes.
    CREATE INDEX users_suspended_idx ON users (suspended_at) WHERE status = 'suspended';
  `);
}
