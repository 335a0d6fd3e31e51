type Run = (sql: string) => Promise<void>;

/** Another release may cut a run otherwise: it begins such a job again. */
export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE runs ADD COLUMN step_sizes text");
}
