type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS sessions_device_idx");
  await run("CREATE INDEX CONCURRENTLY sessions_device_idx ON sessions (device_hash) WHERE device_hash IS NOT NULL");
}
