type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE text_days VALIDATE CONSTRAINT text_days_price_class_check");

  // Administrators find users by their ID at a provider.
  await run("DROP INDEX CONCURRENTLY IF EXISTS identities_subject_idx");
  await run("CREATE INDEX CONCURRENTLY identities_subject_idx ON identities (subject)");
}
