type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What users may not do for a while. Every process keeps those that hold in memory.
    CREATE TABLE sanctions (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      kinds text[] NOT NULL,
      until timestamptz,
      reason text NOT NULL,
      -- Null: a rule imposed it.
      created_by uuid REFERENCES admins,
      created_at timestamptz NOT NULL DEFAULT now(),
      lifted_at timestamptz,
      -- Which rule, or which report, it is about. A rule may be gone by now.
      rule_id uuid,
      rule_version integer,
      report_id uuid REFERENCES reports,
      acknowledged_at timestamptz,
      -- Whether it also covers the devices or networks of its user.
      covers text[] NOT NULL DEFAULT '{}',
      -- A suspension of the account, which is recorded to be appealed.
      suspends boolean NOT NULL DEFAULT false
    );
    CREATE INDEX sanctions_user_idx ON sanctions (user_id, id DESC);
    CREATE INDEX sanctions_active_idx ON sanctions (user_id) WHERE lifted_at IS NULL;
    CREATE INDEX sanctions_creator_idx ON sanctions (created_by);

    -- The devices and networks that it covers, as keyed hashes, while it holds.
    CREATE TABLE sanction_targets (
      sanction_id uuid NOT NULL REFERENCES sanctions,
      kind text NOT NULL CHECK (kind IN ('device', 'network')),
      hash bytea NOT NULL,
      PRIMARY KEY (sanction_id, hash)
    );
    CREATE INDEX sanction_targets_hash_idx ON sanction_targets (hash);
    -- The app's ID of the device, as a keyed hash.
    ALTER TABLE sessions ADD COLUMN device_hash bytea;

    CREATE TABLE appeals (
      id uuid PRIMARY KEY,
      sanction_id uuid UNIQUE REFERENCES sanctions,
      user_id uuid NOT NULL REFERENCES users,
      text text NOT NULL,
      status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'upheld', 'overturned')),
      answer text,
      decided_by uuid REFERENCES admins,
      decided_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      removal_id uuid,
      -- The text that was removed.
      about text NOT NULL DEFAULT ''
    );
    CREATE INDEX appeals_status_idx ON appeals (status, id DESC);
    CREATE INDEX appeals_user_idx ON appeals (user_id);
    CREATE INDEX appeals_decider_idx ON appeals (decided_by) WHERE decided_by IS NOT NULL;

    -- What administrators, judges, and reviews have taken from view, so that it can come back as it was.
    CREATE TABLE removals (
      id uuid PRIMARY KEY,
      user_id uuid NOT NULL REFERENCES users,
      kind text NOT NULL CHECK (kind IN ('post', 'comment', 'room_message', 'direct_message', 'held', 'picture')),
      content_id uuid NOT NULL,
      -- What it said.
      text text NOT NULL,
      -- What the removal took out of a message.
      kept jsonb,
      -- Null: a judge.
      removed_by uuid REFERENCES admins,
      appeal_id uuid REFERENCES appeals,
      created_at timestamptz NOT NULL DEFAULT now(),
      restored_at timestamptz,
      -- What the user was told.
      reason text NOT NULL DEFAULT ''
    );
    CREATE INDEX removals_user_idx ON removals (user_id, id);
    CREATE INDEX removals_content_idx ON removals (content_id);
    CREATE INDEX removals_kept_idx ON removals (created_at) WHERE kept IS NOT NULL;
    CREATE TRIGGER removals_show_media AFTER INSERT OR DELETE OR UPDATE OF kept ON removals
      FOR EACH ROW EXECUTE FUNCTION count_media_uses('kept');
    ALTER TABLE appeals ADD FOREIGN KEY (removal_id) REFERENCES removals;
  `);
}
