import Joi from "joi";
import { date, object, optional, pageQuery, timeZone, withDefault } from "#shared/contracts/fields.ts";
import { chartType } from "#shared/contracts/views.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import { chartDaysMax } from "#shared/domain/operations/statistics/statistics.queries.ts";

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
  time_zone: timeZone("days"),
});

export const dashboardQuery = object({ time_zone: timeZone("days") });

export const textDaysQuery = object({ ...pageQuery, country: optional(countryCode()) });

export const textCountriesQuery = object({
  days: withDefault(Joi.number().integer().min(1).max(365).description("How many days, with today.").example(30), 30),
});
