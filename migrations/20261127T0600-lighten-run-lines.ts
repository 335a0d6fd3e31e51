type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Lines are made from contracts, which are never deleted. For each of a hundred thousand lines, each of these keys had
    -- a row looked up and locked, which took half of the time.
    ALTER TABLE run_lines DROP CONSTRAINT run_lines_contract_id_fkey, DROP CONSTRAINT run_lines_agency_id_fkey,
      DROP CONSTRAINT run_lines_host_id_fkey, DROP CONSTRAINT run_lines_owner_id_fkey;
    -- Lines are paid in the order of "run_lines_once". Without this index, a payment changes none.
    DROP INDEX run_lines_unpaid_idx;
    ALTER TABLE run_lines SET (fillfactor = 90);
  `);
}
