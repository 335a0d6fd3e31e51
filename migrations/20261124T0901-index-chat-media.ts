type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE room_messages VALIDATE CONSTRAINT room_messages_kind_check");
  await run("ALTER TABLE direct_messages VALIDATE CONSTRAINT direct_messages_kind_check");

  // The erasure of a user finds their pictures.
  await run("DROP INDEX CONCURRENTLY IF EXISTS room_messages_media_idx");
  await run("CREATE INDEX CONCURRENTLY room_messages_media_idx ON room_messages (user_id) WHERE media IS NOT NULL");
  await run("DROP INDEX CONCURRENTLY IF EXISTS direct_messages_media_idx");
  await run(
    "CREATE INDEX CONCURRENTLY direct_messages_media_idx ON direct_messages (sender_id) WHERE media IS NOT NULL",
  );
}
