type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Keys by which programs act for a user. A revoked key is deleted, and its tokens with it.
    CREATE TABLE api_keys (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      name text NOT NULL,
      public_key text NOT NULL UNIQUE,
      -- SHA-256 of 256 random bits.
      secret_hash bytea NOT NULL,
      -- Empty: any address.
      allowed_addresses inet[] NOT NULL DEFAULT '{}',
      last_used_at timestamptz,
      last_used_ip inet,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX api_keys_user_idx ON api_keys (user_id, id);

    CREATE TABLE api_tokens (
      -- SHA-256 of 256 random bits.
      token_hash bytea PRIMARY KEY,
      key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL
    );
    CREATE INDEX api_tokens_key_idx ON api_tokens (key_id, created_at);
    CREATE INDEX api_tokens_expiry_idx ON api_tokens (expires_at);
  `);
}
