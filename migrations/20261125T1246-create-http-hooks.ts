type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Servers of the operator that are asked before, or notified after, operations and actions.
    CREATE TABLE http_hooks (
      id uuid PRIMARY KEY,
      version integer NOT NULL DEFAULT 1,
      moment text NOT NULL CHECK (moment IN ('before', 'after')),
      -- What has the hook: operation:sendGift, action:room:message.
      target text NOT NULL,
      url text NOT NULL,
      deadline_ms integer NOT NULL CHECK (deadline_ms BETWEEN 10 AND 5000),
      failure text NOT NULL CHECK (failure IN ('open', 'closed')),
      secret_sealed text,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(),
      -- Signs, too, until then.
      previous_secret_sealed text,
      previous_until timestamptz
    );
  `);
}
