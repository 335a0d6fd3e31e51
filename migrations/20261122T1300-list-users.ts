type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Administrators list users by status, newest first, and count them.
    CREATE INDEX users_status_idx ON users (status, id DESC);
    CREATE INDEX user_devices_user_idx ON user_devices (user_id, id DESC);
    CREATE INDEX rooms_hosted_idx ON rooms (host_id, id DESC);
    DROP INDEX rooms_host_idx;
  `);
}
