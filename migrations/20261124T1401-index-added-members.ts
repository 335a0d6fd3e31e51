type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS conversation_members_added_idx");
  await run(
    "CREATE INDEX CONCURRENTLY conversation_members_added_idx ON conversation_members (added_by, joined_at) WHERE added_by IS NOT NULL",
  );
}
