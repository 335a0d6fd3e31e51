type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // Administrators list the entries of one type, newest first; some types are rare.
  await run("CREATE INDEX ledger_entries_type_idx ON ledger_entries (type, id)");
}
