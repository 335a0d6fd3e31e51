import { Badge, Group, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { formatDate, formatDuration, formatNumber, formatSigned, formatTime } from "../admin/parts/format.ts";
import { Facts, Section } from "../admin/parts/section.tsx";
import { Status } from "../admin/parts/status.tsx";
import { labelOf, t } from "../admin/texts.ts";
import type { DataOf } from "./data.ts";
import { Paged } from "./list.tsx";
import { byMetric, metricText, nameOf, percent } from "./words.ts";

type Lines = DataOf<"listOwnRunLines">;
type Line = Lines["items"][number];

interface Props {
  readonly of: UseQueryResult<Lines, Error>;
  /** Whether the lines are of several hosts. */
  readonly isOfAgency?: boolean;
}

/** What runs pay: each line with what counted, and how it was computed. */
export const RunLines = ({ of, isOfAgency = false }: Props) => (
  <Paged of={of} empty={t("studio.no_runs")}>
    {(lines) => (
      <Stack>
        {lines.map((line) => (
          <RunLine key={line.id} line={line} isOfAgency={isOfAgency} />
        ))}
      </Stack>
    )}
  </Paged>
);

function RunLine({ line, isOfAgency }: { readonly line: Line; readonly isOfAgency: boolean }) {
  const { run, agency, host, earnings, seat_seconds, seat_days, weight, level, salary, commission, how, paid_at } =
    line;
  return (
    <Section
      title={t("studio.run_of", { name: isOfAgency ? nameOf(host) : agency.name, date: formatDate(run.starts_on) })}
      actions={<Status value={paid_at ? "paid" : "approved"} />}
    >
      <Facts
        of={[
          [labelOf("fields", "period"), labelOf("values", run.period)],
          [labelOf("fields", "earnings"), formatNumber(earnings)],
          [t("studio.on_seats"), formatDuration(seat_seconds)],
          [t("studio.days", { minutes: how.day_minutes }), formatNumber(seat_days)],
          [labelOf("fields", "level"), level ?? "–"],
          [labelOf("fields", "salary"), <b key="salary">{formatNumber(salary)}</b>],
          [labelOf("fields", "commission"), formatNumber(commission)],
          [labelOf("fields", "paid_at"), paid_at ? formatTime(paid_at) : "–"],
        ]}
      />
      <How of={how} weight={weight} reached={{ earnings, seat_seconds, seat_days }} />
    </Section>
  );
}

interface HowProps {
  readonly of: Line["how"];
  readonly weight: number;
  readonly reached: Pick<Line, "earnings" | "seat_seconds" | "seat_days">;
}

function How({ of: { since, until, targets, level, basis_points, corrections }, weight, reached }: HowProps) {
  const paid = formatNumber(level?.salary ?? 0);
  return (
    <details className="how">
      <summary>{t("studio.how")}</summary>
      <Stack gap="xs" mt="xs">
        <Text size="sm">{t("studio.counts", { since: formatTime(since), until: formatTime(until) })}</Text>
        {targets.map(({ metric, threshold, weight: share }) => (
          <Group key={`${metric} ${threshold}`} gap="xs">
            <Badge variant="light" color={reached[metric] >= threshold ? "teal" : "gray"}>
              {`${share} %`}
            </Badge>
            <Text size="sm">
              {`${metricText(metric)}: `}
              {t("studio.reached", { value: byMetric(metric, reached[metric]), of: byMetric(metric, threshold) })}
            </Text>
          </Group>
        ))}
        <Text size="sm">{t("studio.salary_is", { salary: paid, weight })}</Text>
        <Text size="sm">{t("studio.commission_is", { percent: percent(basis_points) })}</Text>
        {corrections && (
          <Text size="sm">
            {t("studio.corrections", {
              salary: formatSigned(corrections.salary),
              commission: formatSigned(corrections.commission),
            })}
          </Text>
        )}
      </Stack>
    </details>
  );
}
