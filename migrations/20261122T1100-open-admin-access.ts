type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    ALTER TABLE admins
      ADD COLUMN status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
      ADD COLUMN totp_secret text,
      ADD COLUMN totp_confirmed_at timestamptz,
      -- The time step of the last accepted code: a code works once.
      ADD COLUMN totp_last_step bigint NOT NULL DEFAULT 0,
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX admins_role_idx ON admins (role_id);

    CREATE TABLE admin_recovery_codes (
      admin_id uuid NOT NULL REFERENCES admins (id),
      code_hash bytea NOT NULL,
      PRIMARY KEY (admin_id, code_hash)
    );

    CREATE TABLE admin_sessions (
      id uuid PRIMARY KEY,
      admin_id uuid NOT NULL REFERENCES admins (id),
      user_agent text NOT NULL,
      ip text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      revoked_at timestamptz
    );
    CREATE INDEX admin_sessions_admin_idx ON admin_sessions (admin_id) WHERE revoked_at IS NULL;
    CREATE INDEX admin_sessions_expiry_idx ON admin_sessions (expires_at);

    ALTER TABLE roles
      ADD COLUMN version integer NOT NULL DEFAULT 1,
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

    -- A failed login has no principal.
    ALTER TABLE audit_log ALTER COLUMN principal_id DROP NOT NULL, ALTER COLUMN session_id DROP NOT NULL;
  `);
}
