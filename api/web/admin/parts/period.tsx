import { Select } from "@mantine/core";
import { t } from "../texts.ts";

const days = ["1", "7", "30", "0"] as const;
const dayMs = 86_400_000;

/** How many days a suspension lasts; 0 is until it is lifted. */
export type Period = (typeof days)[number];

export const usualPeriod: Period = "7";

/** Returns when the period ends, from now. Undefined: never by itself. */
export const endOf = (period: Period): string | undefined =>
  period === "0" ? undefined : new Date(Date.now() + Number(period) * dayMs).toISOString();

interface Props {
  readonly value: Period;
  readonly onChange: (period: Period) => void;
}

/** Asks for the length of a suspension. */
export const PeriodInput = ({ value, onChange }: Props) => (
  <Select
    label={t("story.suspend_for")}
    data={days.map((one) => ({
      value: one,
      label: one === "0" ? t("story.until_lifted") : t("start.days", { count: Number(one) }),
    }))}
    value={value}
    allowDeselect={false}
    onChange={(next) => onChange(next ?? usualPeriod)}
    mb="sm"
  />
);
