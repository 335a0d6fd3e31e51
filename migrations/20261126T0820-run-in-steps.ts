type Run = (sql: string) => Promise<void>;

/** Runs are computed and checked in steps, so that a large one shows its progress and goes on where it was killed. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- Of the job that computes, checks, or pays it: 0 until it has begun, null without one.
    ALTER TABLE runs ADD COLUMN steps integer, ADD COLUMN steps_done integer NOT NULL DEFAULT 0;

    -- What contracts have earned in the days that a step has read: the elements of both belong together.
    CREATE TABLE run_sums (
      run_id uuid PRIMARY KEY REFERENCES runs,
      contract_ids uuid[] NOT NULL,
      amounts bigint[] NOT NULL
    );
    -- Random IDs can't be compressed.
    ALTER TABLE run_sums ALTER contract_ids SET STORAGE EXTERNAL, ALTER amounts SET STORAGE EXTERNAL;
  `);
}
