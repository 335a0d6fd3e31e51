type Run = (sql: string) => Promise<void>;

export async function up(run: Run): Promise<void> {
  await run(`
    -- The score of a user or a room in a week, which begins on "week", a Monday, at midnight UTC. "reached_at" is the time of
    -- the last increase: of equal scores, the earlier one ranks higher.
    CREATE TABLE leaderboard_scores (
      scope text NOT NULL
        CHECK (scope IN ('popular_rooms', 'top_hosts', 'gift_senders', 'gift_receivers', 'activity')),
      week date NOT NULL CHECK (extract(isodow FROM week) = 1),
      subject_id uuid NOT NULL,
      score bigint NOT NULL CHECK (score > 0),
      reached_at timestamptz NOT NULL,
      PRIMARY KEY (scope, week, subject_id)
    );
    CREATE INDEX leaderboard_scores_rank_idx
      ON leaderboard_scores (scope, week, score DESC, reached_at, subject_id);

    -- Domain events and minutes that have been counted, so that none is counted twice.
    CREATE TABLE leaderboard_facts (
      fact_id bigint PRIMARY KEY,
      counted_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE leaderboard_minutes (
      minute timestamptz PRIMARY KEY
    );
  `);
}
