import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { count, date, id, integer, line, nullable, object, oneOf, text, time, zone } from "#shared/contracts/fields.ts";
import { agencyPeriods } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { RunCorrectionModel, RunLineModel, RunModel, runStatuses } from "./run.model.ts";

const written = { fields: {}, defaults: {}, resource: "runs" } as const;

export const runFields = {
  period: oneOf(...agencyPeriods).example("month"),
  starts_on: date("2026-11-01").description("A Monday, or the first of a month."),
  time_zone: zone("days").description("The agencies of this zone and period are settled."),
};

/** Runs, which are written by commands of their own. */
export const managedRuns: ManagedResource = {
  ...written,
  name: "run",
  one: "a run",
  many: "runs",
  model: RunModel,
  shown: {
    ...runFields,
    starts_at: time("2026-10-31T18:30:00.000Z"),
    ends_at: time("2026-11-30T18:30:00.000Z").description("Exclusive."),
    status: oneOf(...runStatuses).example("checked"),
    line_count: nullable(count(40)).description("Null until its lines are computed."),
    salaries: nullable(count(120_000)).description("Earnings for hosts."),
    commissions: nullable(count(30_000)).description("Earnings for the owners of agencies."),
    hash: nullable(text(64, 64, "5e".repeat(32))).description(
      "SHA-256 of its lines: equal if computed from the same facts.",
    ),
    progress: nullable(integer(0, 100, 60))
      .description("How much is done of what computes, checks, or pays it, percent. Null while nothing does.")
      .example(null),
    problems: Joi.array()
      .items(object({ contract_id: id(exampleIds.contract), problem: oneOf("differs", "missing") }))
      .description("Up to 20 lines that didn't add up at the last check. It can't go on with any."),
    created_by: id(exampleIds.admin),
    approved_by: nullable(id(exampleIds.admin)),
    second_approved_by: nullable(id(exampleIds.admin)).example(null),
    paid_at: nullable(time(exampleTime(exampleIds.run, 3600))).example(null),
  },
  derived: {
    progress: "CASE WHEN t.steps > 0 THEN least(99, t.steps_done::bigint * 100 / t.steps) ELSE t.steps END",
  },
  search: [],
  filters: { status: oneOf(...runStatuses), period: oneOf(...agencyPeriods) },
  hasPeriod: true,
  sorts: ["-created_at", "starts_on"],
  exampleId: exampleIds.run,
};

/** The lines of runs. */
export const managedRunLines: ManagedResource = {
  ...written,
  listed: { as: "run_lines", permission: "runs.read" },
  name: "run_line",
  one: "a run line",
  many: "lines of runs",
  model: RunLineModel,
  shown: {
    ...{ run_id: id(exampleIds.run), contract_id: id(exampleIds.contract), agency_id: id(exampleIds.agency) },
    ...{ host_id: id(exampleIds.grace), owner_id: id(exampleIds.ada).description("Gets the commission.") },
    earnings: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 20_000).description(
      "For gifts while the contract held, less what refunds took back in the period.",
    ),
    seat_seconds: count(144_000),
    seat_days: count(12).description("Days with at least the minutes of the plan on a seat."),
    weight: integer(0, 100, 60).description("Of the targets that were met."),
    level: nullable(line(1, 40, "Silver")),
    salary: count(3000).description("Earnings for the host: of the level, in percent of the weight, and corrections."),
    commission: count(2000).description("Earnings for the owner of the agency."),
    how: Joi.object()
      .unknown()
      .description("What it was computed from: the times, and the plan as it was.")
      .example({}),
    paid_at: nullable(time(exampleTime(exampleIds.run, 3600))),
  },
  search: [],
  filters: { run_id: id(exampleIds.run), host_id: id(exampleIds.grace), agency_id: id(exampleIds.agency) },
  sorts: ["-salary", "commission", "earnings"],
  exampleId: exampleIds.runLine,
};

const most = 1_000_000_000;

/** Corrections of lines that are paid. They are never changed: another one takes them back. */
export const managedCorrections: ManagedResource = {
  ...written,
  listed: { as: "run_corrections", permission: "runs.read" },
  name: "run_correction",
  one: "a run correction",
  many: "corrections of runs",
  model: RunCorrectionModel,
  fields: {
    contract_id: id(exampleIds.contract),
    salary: integer(-most, most, 500).description("Earnings for the host, or less."),
    commission: integer(-most, most, 0).description("Earnings for the owner of the agency, or less."),
    reason: line(1, 200, "Hours of 3 November were lost"),
  },
  defaults: { salary: 0, commission: 0 },
  shown: { run_id: nullable(id(exampleIds.run)).description("The run whose line has taken it.").example(null) },
  search: ["reason"],
  filters: { contract_id: id(exampleIds.contract), run_id: id(exampleIds.run) },
  sorts: ["-created_at", "reason"],
  exampleId: exampleIds.runCorrection,
};
