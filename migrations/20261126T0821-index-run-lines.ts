type Run = (sql: string) => Promise<void>;

export const inSteps = true;

/** Administrators page through the lines of a run, which has one for each host, by salary. */
export async function up(run: Run): Promise<void> {
  await run("DROP INDEX CONCURRENTLY IF EXISTS run_lines_salary_idx");
  await run("CREATE INDEX CONCURRENTLY run_lines_salary_idx ON run_lines (run_id, salary, id)");
}
