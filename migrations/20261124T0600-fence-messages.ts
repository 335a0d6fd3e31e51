type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Makes the epoch part of a key, so that raising it waits for those who hold the row FOR KEY SHARE, and they for it. Other
    -- updates of the row don't.
    CREATE UNIQUE INDEX room_states_epoch_key ON room_states (room_id, epoch);
  `);
}
