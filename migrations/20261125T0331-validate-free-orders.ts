type Run = (sql: string) => Promise<void>;

export const inSteps = true;

export async function up(run: Run): Promise<void> {
  for (const table of ["payment_orders", "payments", "payment_refunds"])
    await run(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_amount_check`);
}
