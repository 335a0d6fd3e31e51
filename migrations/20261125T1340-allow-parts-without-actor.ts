type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // An agency invites, not a user.
  await run("ALTER TABLE notification_parts ALTER COLUMN actor_id DROP NOT NULL");
}
