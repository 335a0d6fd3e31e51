type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Adds up what an administrator has moved without an approval.
    CREATE INDEX balance_adjustments_alone_idx ON balance_adjustments (requested_by, created_at)
      WHERE status = 'approved' AND decided_by IS NULL;

    -- Who has ever created an administrator, or set their password or role, and could thus call in their name. Rows
    -- stay: a password that was changed since doesn't show in whose hands the account is.
    CREATE TABLE admin_controls (
      admin_id uuid NOT NULL REFERENCES admins (id),
      controlled_by uuid NOT NULL REFERENCES admins (id),
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (admin_id, controlled_by),
      CHECK (admin_id <> controlled_by)
    );
    INSERT INTO admin_controls (admin_id, controlled_by, created_at)
      SELECT a.id, e.principal_id, min(e.at)
      FROM audit_log e
        JOIN admins a ON a.id::text = e.target_id
        JOIN admins by_admin ON by_admin.id = e.principal_id
      WHERE e.target_type = 'admin' AND e.principal_id <> a.id
        AND (e.action = 'admin.create' OR e.action = 'admin.update' AND e.after ?| ARRAY['password', 'role_id'])
      GROUP BY a.id, e.principal_id;
  `);
}
