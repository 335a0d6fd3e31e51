type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // The values of `parameter_names`, as sealed JSON.
  await run("ALTER TABLE catalogue_gateways ADD COLUMN parameters_sealed text");
}
