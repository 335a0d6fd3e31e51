type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  // A token that was refreshed twice within 10 s has left a session two living ones: the newest goes on.
  await run(`
    UPDATE refresh_tokens t SET used_at = t.created_at
    WHERE used_at IS NULL AND EXISTS (
      SELECT 1 FROM refresh_tokens n WHERE n.session_id = t.session_id AND n.used_at IS NULL
        AND (n.created_at, n.token_hash) > (t.created_at, t.token_hash)
    )
  `);
  await run("CREATE UNIQUE INDEX refresh_tokens_one_living ON refresh_tokens (session_id) WHERE used_at IS NULL");
}
