import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { count, date, type Infer, id, integer, line, listOf, nullable, object, oneOf, time } from "../fields.ts";
import { agencyCard, agencyPeriods, contract } from "./agency-views.ts";
import { userCard } from "./user-views.ts";

/** What hosts are measured by, how far they are, and what runs pay for it. */

const metric = oneOf("seat_seconds", "seat_days", "earnings").description(
  "`seat_seconds`: on any seat. `seat_days`: days with at least `day_minutes` on a seat. `earnings`: for gifts.",
);
const targetFields = {
  metric,
  threshold: count(72_000).description("The least that meets it."),
  weight: integer(1, 100, 40),
};
export const target = object(targetFields);
export const level = object({
  name: line(1, 40, "Silver"),
  earnings: count(10_000).description("The least earnings of a period."),
  salary: integer(0, 1_000_000_000, 5000).description(
    "Earnings that the house pays for a period in which all targets are met.",
  ),
});
export type Target = Infer<typeof target>;
export type Level = Infer<typeof level>;

const signed = (example: number) => integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, example);
const dayMinutes = integer(0, 1440, 60).description("How long a host sits on a day that counts.");

/** What counts in a period. */
const measured = {
  earnings: signed(20_000).description("For gifts while the contract held, less what refunds took back."),
  seat_seconds: count(144_000).description("Of times on seats that have ended."),
  seat_days: count(12).description("Days with at least `day_minutes` on a seat."),
  weight: integer(0, 100, 60).description("Of the targets that are met."),
};

export const hostProgress = object({
  contract: nullable(contract).description("Null: you have none. The period is then the month, without targets."),
  period: oneOf(...agencyPeriods).example("month"),
  time_zone: Joi.string().example("Asia/Kolkata").description("IANA name of the zone in which days begin."),
  starts_at: time("2026-10-31T18:30:00.000Z"),
  ends_at: time("2026-11-30T18:30:00.000Z").description("Exclusive."),
  today: object({
    earnings: signed(450),
    seat_seconds: count(5400),
  }),
  ...measured,
  day_minutes: dayMinutes,
  targets: listOf(object({ ...targetFields, reached: signed(41_000) })),
  level: nullable(level).description("The one that the earnings have reached."),
  next_level: nullable(level),
  salary: count(3000).description("What a run would pay for what is reached: of the level, in percent of the weight."),
}).meta({ name: "HostProgress" });
export type HostProgress = Infer<typeof hostProgress>;

const corrected = object({ salary: signed(-200), commission: signed(0) });

export const runLine = object({
  id: id(exampleIds.runLine),
  run: object({
    id: id(exampleIds.run),
    period: oneOf(...agencyPeriods).example("month"),
    starts_on: date("2026-11-01"),
    time_zone: Joi.string().example("Asia/Kolkata"),
  }),
  agency: agencyCard,
  host: userCard,
  ...measured,
  level: nullable(line(1, 40, "Silver")),
  salary: count(3000).description("Earnings for the host: of the level, in percent of the weight, and corrections."),
  commission: count(2000).description("Earnings for the owner of the agency."),
  how: object({
    since: time("2026-10-31T18:30:00.000Z").description("What counts is from then on."),
    until: time("2026-11-30T18:30:00.000Z").description("Exclusive."),
    day_minutes: dayMinutes,
    targets: listOf(target),
    level: nullable(level),
    basis_points: integer(0, 10_000, 1000).description("The commission, in parts of 10,000 of the earnings."),
    corrections: nullable(corrected).description("What earlier lines paid too little, or too much.").example(null),
  }).description("What it was computed from: the plan and the contract as they were."),
  paid_at: nullable(time(exampleTime(exampleIds.run, 3600))).description("Null: it is paid soon."),
}).meta({ name: "HostRunLine" });
export type RunLine = Infer<typeof runLine>;
