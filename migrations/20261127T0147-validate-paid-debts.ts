type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  await run("ALTER TABLE seller_reversals VALIDATE CONSTRAINT seller_reversals_paid_check");
}
