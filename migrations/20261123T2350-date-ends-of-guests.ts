type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- When a guest became a user. Null: never a guest, or still one.
    ALTER TABLE users ADD COLUMN guest_ended_at timestamptz;
  `);
}
