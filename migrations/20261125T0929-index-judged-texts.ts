type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS held_content_judging_idx");
  await run("CREATE INDEX CONCURRENTLY held_content_judging_idx ON held_content (created_at) WHERE status = 'judging'");
}
