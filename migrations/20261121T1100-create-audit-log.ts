type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The ledger's function serves every append-only table; its triggers follow the new name.
    ALTER FUNCTION ledger_is_append_only() RENAME TO refuse_changes;

    -- What administrators have changed. Holds ids and states, no personal data of users: it outlives erased accounts.
    CREATE TABLE audit_log (
      id uuid PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      principal_kind text NOT NULL,
      principal_id uuid NOT NULL,
      role text NOT NULL,
      session_id uuid NOT NULL,
      action text NOT NULL,
      target_type text NOT NULL,
      target_id text NOT NULL,
      before jsonb,
      after jsonb,
      reason text,
      ip text NOT NULL,
      user_agent text NOT NULL,
      request_id text NOT NULL
    );
    CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
