type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- What a rule has held, or has had reviewed. "input" is what its command gets when it is released; null for what is
    -- shown already, as "content_id". A person's "client_id" names one of them at a place.
    CREATE TABLE held_content (
      id uuid PRIMARY KEY,
      place text NOT NULL,
      user_id uuid NOT NULL REFERENCES users,
      target_id uuid,
      text text NOT NULL,
      input jsonb,
      client_id text,
      circumstances jsonb,
      rule_id uuid,
      rule_name text NOT NULL,
      harm smallint NOT NULL,
      status text NOT NULL CHECK (status IN ('judging', 'held', 'shown', 'released', 'rejected')),
      content_id uuid,
      created_at timestamptz NOT NULL DEFAULT now(),
      due_at timestamptz NOT NULL DEFAULT now() + interval '24 hours',
      decided_at timestamptz,
      decided_by uuid REFERENCES admins,
      note text NOT NULL DEFAULT '',
      delivered_at timestamptz,
      -- Which version of the rule has acted, and what it tells people.
      rule_version integer,
      reason text,
      -- Whether its author sees it as sent, rather than as held.
      shadowed boolean NOT NULL DEFAULT false,
      UNIQUE (user_id, target_id, client_id)
    );
    CREATE INDEX held_content_user_idx ON held_content (user_id, id DESC);
    CREATE INDEX held_content_open_idx ON held_content (due_at) WHERE status IN ('held', 'shown');
    CREATE INDEX held_content_judging_idx ON held_content (created_at) WHERE status = 'judging';
    CREATE INDEX held_content_released_idx ON held_content (decided_at, id)
      WHERE status = 'released' AND delivered_at IS NULL;
    CREATE INDEX held_content_decided_idx ON held_content (decided_at) WHERE decided_at IS NOT NULL;
    CREATE INDEX held_content_decider_idx ON held_content (decided_by) WHERE decided_by IS NOT NULL;
  `);
}
