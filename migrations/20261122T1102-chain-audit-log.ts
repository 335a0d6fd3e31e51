type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The last entry. Its lock orders all writers, and is held until their commit: an entry is never visible unchained.
    CREATE TABLE audit_head (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      seq bigint NOT NULL,
      hash text NOT NULL
    );
    INSERT INTO audit_head (seq, hash) VALUES (0, '');

    ALTER TABLE audit_log ADD COLUMN seq bigint, ADD COLUMN hash text;

    -- What is hashed. The text of a jsonb value is canonical. Times have microseconds, in UTC.
    CREATE FUNCTION audit_entry_text(entry audit_log) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT jsonb_build_object(
        'seq', entry.seq, 'id', entry.id, 'at', to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'principal_kind', entry.principal_kind, 'principal_id', entry.principal_id, 'role', entry.role,
        'session_id', entry.session_id, 'action', entry.action, 'target_type', entry.target_type,
        'target_id', entry.target_id, 'before', entry.before, 'after', entry.after, 'reason', entry.reason,
        'ip', entry.ip, 'user_agent', entry.user_agent, 'request_id', entry.request_id)::text
    $$;

    CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE head audit_head;
    BEGIN
      SELECT * INTO head FROM audit_head FOR UPDATE;
      NEW.seq := head.seq + 1;
      NEW.hash := encode(sha256(convert_to(head.hash || audit_entry_text(NEW), 'UTF8')), 'hex');
      UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash;
      RETURN NEW;
    END $$;

    -- Entries of before are chained as they stand.
    ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only;
    CREATE TEMPORARY TABLE unchained AS SELECT * FROM audit_log;
    DELETE FROM audit_log;
    CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
    INSERT INTO audit_log SELECT * FROM unchained ORDER BY at, id;
    DROP TABLE unchained;
    ALTER TABLE audit_log ENABLE TRIGGER audit_log_append_only;

    ALTER TABLE audit_log ALTER COLUMN seq SET NOT NULL, ALTER COLUMN hash SET NOT NULL;
    CREATE UNIQUE INDEX audit_log_seq_key ON audit_log (seq);
    CREATE INDEX audit_log_principal_idx ON audit_log (principal_id, seq);
    CREATE INDEX audit_log_action_idx ON audit_log (action, seq);
  `);
}
