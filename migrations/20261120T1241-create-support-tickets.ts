type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What people write to support, with an account or without.
    CREATE TABLE support_tickets (
      id uuid PRIMARY KEY,
      user_id uuid REFERENCES users (id),
      email text NOT NULL,
      subject text NOT NULL,
      message text NOT NULL,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'answered', 'closed')),
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX support_tickets_status_idx ON support_tickets (status, id DESC);
    CREATE INDEX support_tickets_user_idx ON support_tickets (user_id) WHERE user_id IS NOT NULL;
  `);
}
