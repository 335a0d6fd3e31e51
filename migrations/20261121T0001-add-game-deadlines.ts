type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // When the actor acts on behalf of a player. If this is long past, the game has no actor and needs a new one.
  await run("ALTER TABLE game_sessions ADD COLUMN due_at timestamptz");
  // Cancelled lobbies are deleted after a while.
  await run("CREATE INDEX game_lobbies_cancelled_idx ON game_lobbies (updated_at) WHERE status = 'cancelled'");
}
