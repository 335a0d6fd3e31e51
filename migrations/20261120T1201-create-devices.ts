type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Devices for push notifications. A device belongs to the session that registered it, and gets none after its end.
    CREATE TABLE user_devices (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      session_id uuid NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      platform text NOT NULL CHECK (platform IN ('android', 'ios', 'web')),
      device_uid text NOT NULL,
      push_token text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT user_devices_uid_key UNIQUE (user_id, device_uid),
      -- A token identifies an installed app. It belongs to the user who registered it last.
      CONSTRAINT user_devices_token_key UNIQUE (push_token)
    );
    CREATE INDEX user_devices_session_idx ON user_devices (session_id);
  `);
}
