type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Which rule, or which report, a sanction is about. A rule may be gone by now.
    ALTER TABLE sanctions ADD COLUMN rule_id uuid, ADD COLUMN rule_version integer,
      ADD COLUMN report_id uuid, ADD COLUMN acknowledged_at timestamptz;
    ALTER TABLE sanctions ADD CONSTRAINT sanctions_report_id_fkey FOREIGN KEY (report_id) REFERENCES reports NOT VALID;
  `);
}
