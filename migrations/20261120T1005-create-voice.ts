type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Until when a token with the right to publish may still be used to connect: the right is watched until then.
    CREATE TABLE voice_grants (
      room_id uuid NOT NULL REFERENCES rooms (id),
      user_id uuid NOT NULL REFERENCES users (id),
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (room_id, user_id)
    );
  `);
}
