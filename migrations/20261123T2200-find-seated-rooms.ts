type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The rooms to restore after a crash, whatever the number of all rooms.
    CREATE INDEX room_states_seated_idx ON room_states (room_id)
      WHERE jsonb_path_exists(live, '$.seats[*].userId ? (@ != null)');
  `);
}
