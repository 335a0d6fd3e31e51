type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    CREATE TABLE users (
      id uuid PRIMARY KEY,
      username text NOT NULL,
      email text NOT NULL,
      mobile text,
      full_name text NOT NULL,
      password_hash text NOT NULL,
      date_of_birth date,
      bio text NOT NULL DEFAULT '',
      country char(2),
      avatar_url text,
      cover_url text,
      settings jsonb NOT NULL,
      status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'deletion_pending', 'deleted')),
      suspended_at timestamptz,
      suspended_reason text,
      email_verified_at timestamptz,
      mobile_verified_at timestamptz,
      last_seen_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT users_username_key UNIQUE (username),
      CONSTRAINT users_email_key UNIQUE (email),
      CONSTRAINT users_mobile_key UNIQUE (mobile),
      CONSTRAINT users_username_lower CHECK (username = lower(username)),
      CONSTRAINT users_email_lower CHECK (email = lower(email))
    );

    CREATE TABLE sessions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      user_agent text,
      ip text,
      created_at timestamptz NOT NULL DEFAULT now(),
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      revoked_at timestamptz,
      revoked_reason text
    );
    CREATE INDEX sessions_user_idx ON sessions (user_id) WHERE revoked_at IS NULL;
    CREATE INDEX sessions_revoked_idx ON sessions (revoked_at) WHERE revoked_at IS NOT NULL;

    CREATE TABLE refresh_tokens (
      token_hash bytea PRIMARY KEY,
      session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      used_at timestamptz
    );
    CREATE INDEX refresh_tokens_session_idx ON refresh_tokens (session_id);
    CREATE INDEX refresh_tokens_expiry_idx ON refresh_tokens (expires_at);

    CREATE TABLE roles (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      permissions text[] NOT NULL DEFAULT '{}',
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE admins (
      id uuid PRIMARY KEY,
      email text NOT NULL UNIQUE CHECK (email = lower(email)),
      full_name text NOT NULL,
      password_hash text NOT NULL,
      role_id uuid NOT NULL REFERENCES roles (id),
      created_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE settings (
      key text PRIMARY KEY,
      value jsonb NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    -- Who is connected, by the process that holds the connections. Unlogged: a crash of the database ends them all.
    CREATE UNLOGGED TABLE online_users (
      user_id uuid NOT NULL,
      process_id text NOT NULL,
      lease_until timestamptz NOT NULL,
      PRIMARY KEY (user_id, process_id)
    );
  `);
}
