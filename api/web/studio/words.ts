import { formatDate, formatDuration, formatNumber } from "../admin/parts/format.ts";
import { labelOf, t } from "../admin/texts.ts";
import type { DataOf } from "./data.ts";

type Target = DataOf<"getProgress">["targets"][number];

/** Returns the value of a metric as people read it. */
export const byMetric = (metric: Target["metric"], value: number): string =>
  metric === "seat_seconds" ? formatDuration(value) : formatNumber(value);

/** Returns the name of a metric. */
export const metricText = (metric: Target["metric"]): string =>
  metric === "seat_seconds" ? t("studio.on_seats") : labelOf("values", metric);

interface Period {
  readonly starts_at: string;
  /** Exclusive. */
  readonly ends_at: string;
  readonly time_zone: string;
}

/** Returns the first and the last day of a period, as its zone has them. */
export function periodText({ starts_at, ends_at, time_zone }: Period): string {
  const dayOf = (ms: number) => new Intl.DateTimeFormat("en-CA", { timeZone: time_zone }).format(ms);
  return `${formatDate(dayOf(Date.parse(starts_at)))} – ${formatDate(dayOf(Date.parse(ends_at) - 1))}`;
}

/** Returns basis points as a percentage. */
export const percent = (basisPoints: number): string => `${formatNumber(basisPoints / 100)} %`;

/** Returns a person's name, which can be empty. */
export const nameOf = ({ full_name, username }: { readonly full_name: string; readonly username: string }): string =>
  full_name || `@${username}`;
