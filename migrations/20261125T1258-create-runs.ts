type Run = (sql: string) => Promise<void>;

/** What hosts are measured by, and the runs that settle a period. */
export async function up(run: Run): Promise<void> {
  await run(`
    -- How long a user sat on a seat, in one go. Ordered by the end, so that it can be partitioned by it.
    CREATE TABLE seat_sessions (
      id uuid NOT NULL,
      user_id uuid NOT NULL REFERENCES users,
      room_id uuid NOT NULL,
      started_at timestamptz NOT NULL,
      ended_at timestamptz NOT NULL CHECK (ended_at > started_at),
      PRIMARY KEY (ended_at, id)
    );
    -- A run adds up how long each host sat: the index holds what it needs.
    CREATE INDEX seat_sessions_host_idx ON seat_sessions (user_id, ended_at) INCLUDE (started_at);

    -- Settles a period of the agencies of a zone, once.
    CREATE TABLE runs (
      id uuid PRIMARY KEY,
      period text NOT NULL CHECK (period IN ('week', 'month')),
      starts_on date NOT NULL,
      time_zone text NOT NULL,
      starts_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
      status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'checked', 'approved', 'paid', 'cancelled')),
      -- Null until its lines are computed.
      line_count integer,
      salaries bigint,
      commissions bigint,
      hash text,
      -- Lines that don't add up.
      problems jsonb NOT NULL DEFAULT '[]',
      created_by uuid NOT NULL REFERENCES admins,
      approved_by uuid REFERENCES admins,
      second_approved_by uuid REFERENCES admins CHECK (second_approved_by <> approved_by),
      paid_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      -- Of the job that computes, checks, or pays it: 0 until it has begun, null without one.
      steps integer,
      steps_done integer NOT NULL DEFAULT 0,
      -- Another release may cut a run otherwise: it begins such a job again.
      step_sizes text
    );
    CREATE UNIQUE INDEX runs_period_key ON runs (time_zone, period, starts_on) WHERE status <> 'cancelled';

    -- What contracts have earned in the days that a step has read: the elements of both belong together.
    CREATE TABLE run_sums (
      run_id uuid PRIMARY KEY REFERENCES runs,
      contract_ids uuid[] NOT NULL,
      amounts bigint[] NOT NULL
    );
    -- Random IDs can't be compressed.
    ALTER TABLE run_sums ALTER contract_ids SET STORAGE EXTERNAL, ALTER amounts SET STORAGE EXTERNAL;

    -- What a run pays for a contract: the cause of its ledger transaction, once it is paid. No line outlives what it names:
    -- lines are made from contracts by the job that has locked the run, and none of these is ever deleted. For each of a
    -- hundred thousand lines, each foreign key had a row looked up and locked, which took more than half of the time.
    CREATE TABLE run_lines (
      id uuid PRIMARY KEY,
      run_id uuid NOT NULL,
      contract_id uuid NOT NULL,
      agency_id uuid NOT NULL,
      host_id uuid NOT NULL,
      owner_id uuid NOT NULL,
      earnings bigint NOT NULL,
      seat_seconds bigint NOT NULL,
      seat_days integer NOT NULL,
      -- Of the targets that were met.
      weight integer NOT NULL,
      level text,
      salary bigint NOT NULL CHECK (salary >= 0),
      commission bigint NOT NULL CHECK (commission >= 0),
      how jsonb NOT NULL,
      paid_at timestamptz,
      -- Lines are paid in this order. Without an index of the unpaid ones, a payment changes none.
      CONSTRAINT run_lines_once UNIQUE (run_id, contract_id)
    ) WITH (fillfactor = 90);
    CREATE INDEX run_lines_salary_idx ON run_lines (run_id, salary, id);
    CREATE INDEX run_lines_host_idx ON run_lines (host_id, id);
    CREATE INDEX run_lines_agency_idx ON run_lines (agency_id, id);
    CREATE INDEX run_lines_contract_idx ON run_lines (contract_id);

    -- What earlier lines paid too little, or too much: part of the next line of the contract.
    CREATE TABLE run_corrections (
      id uuid PRIMARY KEY,
      contract_id uuid NOT NULL REFERENCES contracts,
      salary bigint NOT NULL,
      commission bigint NOT NULL,
      reason text NOT NULL,
      -- The run that has taken it.
      run_id uuid REFERENCES runs,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX run_corrections_contract_idx ON run_corrections (contract_id) WHERE run_id IS NULL;
    CREATE INDEX run_corrections_run_idx ON run_corrections (run_id);
  `);
}
