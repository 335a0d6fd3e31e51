type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- An administrator claims a report before they look into it, so that two don't do the same. The claim expires.
    ALTER TABLE reports
      ADD COLUMN claimed_by uuid REFERENCES admins (id),
      ADD COLUMN claimed_until timestamptz,
      -- What was done about the target when the report was resolved.
      ADD COLUMN action text CHECK (action IN ('warn', 'hide', 'remove', 'suspend')),
      ADD CONSTRAINT reports_claimed CHECK ((claimed_by IS NULL) = (claimed_until IS NULL));
    CREATE INDEX reports_listed_idx ON reports (status, id DESC);
  `);
}
