type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Coins that an administrator gives to a user or takes back. An approved one has a row in "coin_grants" with its ID.
    CREATE TABLE balance_adjustments (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users (id),
      amount coins NOT NULL CHECK (amount <> 0),
      reason text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'declined', 'expired')),
      requested_by uuid NOT NULL REFERENCES admins (id),
      -- Null while it is pending, if it expired, and if it needed no approval.
      decided_by uuid REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      decided_at timestamptz,
      expires_at timestamptz,
      CONSTRAINT balance_adjustments_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
      CONSTRAINT balance_adjustments_pending CHECK (status <> 'pending' OR expires_at IS NOT NULL),
      -- Who asked may not approve.
      CONSTRAINT balance_adjustments_four_eyes CHECK (status <> 'approved' OR decided_by <> requested_by)
    );
    CREATE INDEX balance_adjustments_list_idx ON balance_adjustments (created_at, id);
    CREATE INDEX balance_adjustments_user_idx ON balance_adjustments (user_id, created_at);
    CREATE INDEX balance_adjustments_due_idx ON balance_adjustments (expires_at) WHERE status = 'pending';
  `);
}
