type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Where the user was before they entered the room, written with the entry that reads it back.
    ALTER TABLE room_presence ADD COLUMN previous_room_id uuid, ADD COLUMN previous_join_id uuid;
  `);
}
