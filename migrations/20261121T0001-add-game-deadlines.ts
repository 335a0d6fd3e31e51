type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // When the actor plays in somebody's stead: long past, nobody plays, and the actor has to be made anew.
  await run("ALTER TABLE game_sessions ADD COLUMN due_at timestamptz");
}
