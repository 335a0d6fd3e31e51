import Joi from "joi";
import { date, object, optional, withDefault } from "#shared/contracts/fields.ts";
import { chartType } from "#shared/contracts/views.ts";
import { chartDaysMax } from "#shared/domain/statistics/statistics.queries.ts";

const isZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
};

const timeZone = () =>
  withDefault(
    Joi.string()
      .max(60)
      .pattern(/^[A-Za-z][A-Za-z0-9_+/-]*$/, "an IANA time zone")
      .custom((value: string, helpers) =>
        isZone(value) ? value : helpers.error("string.pattern.name", { name: "IANA time zone" }),
      )
      .description("IANA name of the time zone in which days begin.")
      .example("Asia/Kolkata"),
    "UTC",
  );

const day = (example: string) =>
  date(example).custom((value: string, helpers) => {
    const ms = Date.parse(`${value}T00:00:00Z`);
    const exists = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
    return exists ? value : helpers.error("string.pattern.name", { name: "date" });
  });

export const chartQuery = object({
  type: chartType(),
  days: withDefault(
    Joi.number().integer().min(1).max(chartDaysMax).description("How many days, if there is no `from`.").example(30),
    30,
  ),
  from: optional(day("2026-01-01").description(`The first day. At most ${chartDaysMax} days before \`to\`.`)),
  to: optional(day("2026-01-31").description("The last day. Default: today.")),
  time_zone: timeZone(),
});

export const dashboardQuery = object({ time_zone: timeZone() });
