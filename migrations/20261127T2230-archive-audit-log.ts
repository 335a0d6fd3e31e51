type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Up to where the audit log is in files, and no longer here. The hashes are hexadecimal.
    CREATE TABLE audit_archives (
      seq bigint PRIMARY KEY,
      hash text NOT NULL,
      file_sha256 text NOT NULL CHECK (length(file_sha256) = 64),
      -- Ed25519, base64, of 'archive <seq> <hash> <file_sha256>'.
      signature text NOT NULL,
      public_key text NOT NULL,
      archived_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TRIGGER audit_archives_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_archives
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_changes();
  `);
}
