type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- One for each filter, in the order of the list.
    DROP INDEX audit_log_principal_idx;
    DROP INDEX audit_log_action_idx;
    CREATE INDEX audit_log_at_idx ON audit_log (at, seq);
    CREATE INDEX audit_log_principal_idx ON audit_log (principal_id, at, seq);
    CREATE INDEX audit_log_action_idx ON audit_log (action, at, seq);
    CREATE INDEX audit_log_target_type_idx ON audit_log (target_type, at, seq);
    CREATE INDEX audit_log_target_at_idx ON audit_log (target_id, at, seq);
  `);
}
