type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE conversations VALIDATE CONSTRAINT conversations_kind_check");
  await run("ALTER TABLE conversation_members VALIDATE CONSTRAINT conversation_members_role_check");
  await run("DROP INDEX CONCURRENTLY IF EXISTS conversation_members_groups_idx");
  await run(
    "CREATE INDEX CONCURRENTLY conversation_members_groups_idx ON conversation_members (user_id) WHERE peer_id IS NULL",
  );
  await run("DROP INDEX CONCURRENTLY IF EXISTS conversations_owner_idx");
  await run("CREATE INDEX CONCURRENTLY conversations_owner_idx ON conversations (owner_id) WHERE owner_id IS NOT NULL");
  await run("DROP INDEX CONCURRENTLY IF EXISTS conversation_members_added_idx");
  await run(
    "CREATE INDEX CONCURRENTLY conversation_members_added_idx ON conversation_members (added_by, joined_at) WHERE added_by IS NOT NULL",
  );
}
