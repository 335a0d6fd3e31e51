type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- Audio that reports have sealed. Two administrators must agree before it can be heard: one requests, another
    -- approves. Both are null, or of the past, while it can't.
    CREATE TABLE voice_evidence (
      id uuid PRIMARY KEY,
      room_id uuid NOT NULL REFERENCES rooms,
      key_sealed text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      requested_by uuid REFERENCES admins,
      requested_at timestamptz,
      reason text,
      approved_by uuid REFERENCES admins CHECK (approved_by <> requested_by),
      approved_at timestamptz
    );
    CREATE INDEX voice_evidence_room_idx ON voice_evidence (room_id);
    CREATE INDEX voice_evidence_expiry_idx ON voice_evidence (expires_at);
    CREATE INDEX voice_evidence_requester_idx ON voice_evidence (requested_by) WHERE requested_by IS NOT NULL;
    CREATE INDEX voice_evidence_approver_idx ON voice_evidence (approved_by) WHERE approved_by IS NOT NULL;

    CREATE TABLE voice_evidence_reports (
      report_id uuid NOT NULL REFERENCES reports ON DELETE CASCADE,
      evidence_id uuid NOT NULL REFERENCES voice_evidence ON DELETE CASCADE,
      PRIMARY KEY (report_id, evidence_id)
    );
    CREATE INDEX voice_evidence_reports_evidence_idx ON voice_evidence_reports (evidence_id);

    -- What one user said, encrypted with the evidence's key.
    CREATE TABLE voice_evidence_pieces (
      evidence_id uuid NOT NULL REFERENCES voice_evidence ON DELETE CASCADE,
      number integer NOT NULL,
      user_id uuid NOT NULL REFERENCES users,
      started_at timestamptz NOT NULL,
      -- 16,000 are a second.
      samples integer NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (evidence_id, number)
    );
    CREATE INDEX voice_evidence_pieces_user_idx ON voice_evidence_pieces (user_id);
    ALTER TABLE voice_evidence_pieces ALTER COLUMN content SET STORAGE EXTERNAL;
  `);
}
