type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // When the actor plays in somebody's stead: long past, nobody plays, and the actor has to be made anew.
  await run("ALTER TABLE game_sessions ADD COLUMN due_at timestamptz");
  // Those are forgotten after a while.
  await run("CREATE INDEX game_lobbies_cancelled_idx ON game_lobbies (updated_at) WHERE status = 'cancelled'");
}
