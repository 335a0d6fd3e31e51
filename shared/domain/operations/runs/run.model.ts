import {
  bigint,
  date,
  defaulted,
  defineModel,
  integer,
  json,
  key,
  nullable,
  text,
  time,
  uuid,
} from "#shared/db/model.ts";

export const runStatuses = ["draft", "checked", "approved", "paid", "cancelled"] as const;

/** Runs, which settle a period of the agencies of a zone. */
export const RunModel = defineModel("runs", {
  id: key(uuid()),
  period: text<"week" | "month">(),
  starts_on: date(),
  time_zone: text(),
  starts_at: time(),
  ends_at: time(),
  status: defaulted(text<(typeof runStatuses)[number]>()),
  line_count: nullable(integer()),
  salaries: nullable(bigint()),
  commissions: nullable(bigint()),
  hash: nullable(text()),
  steps: nullable(integer()),
  steps_done: defaulted(integer()),
  step_sizes: nullable(text()),
  problems: defaulted(json<readonly object[]>()),
  created_by: uuid(),
  approved_by: nullable(uuid()),
  second_approved_by: nullable(uuid()),
  paid_at: nullable(time()),
  created_at: defaulted(time()),
});

/** What runs pay for contracts. */
export const RunLineModel = defineModel("run_lines", {
  id: key(uuid()),
  run_id: uuid(),
  contract_id: uuid(),
  agency_id: uuid(),
  host_id: uuid(),
  owner_id: uuid(),
  earnings: bigint(),
  seat_seconds: bigint(),
  seat_days: integer(),
  weight: integer(),
  level: nullable(text()),
  salary: bigint(),
  commission: bigint(),
  how: json<object>(),
  paid_at: nullable(time()),
});

/** What earlier lines paid too little, or too much. */
export const RunCorrectionModel = defineModel("run_corrections", {
  id: key(uuid()),
  contract_id: uuid(),
  salary: bigint(),
  commission: bigint(),
  reason: text(),
  run_id: nullable(uuid()),
  created_at: defaulted(time()),
});
