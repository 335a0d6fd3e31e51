import { Alert, Anchor, Badge, Group, Paper, Progress, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { Async } from "../../admin/parts/async.tsx";
import { formatDuration, formatNumber } from "../../admin/parts/format.ts";
import { PageTitle } from "../../admin/parts/page-title.tsx";
import { Facts, Section } from "../../admin/parts/section.tsx";
import { labelOf, t } from "../../admin/texts.ts";
import { type DataOf, useRead } from "../data.ts";
import { byMetric, metricText, periodText } from "../words.ts";

const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Milliseconds after which the figures are read again. */
const refetchInterval = 30_000;

/** What a host looks at first. */
export default function Today() {
  const progress = useRead("getProgress", { query: { time_zone } }, { refetchInterval });
  const earnings = useRead("getEarnings", {}, { refetchInterval });
  const invitations = useRead("listOwnInvitations", { query: { limit: 1 } }).data?.total ?? 0;
  return (
    <>
      <PageTitle title={t("studio.today")} lead={t("studio.seats_count")} />
      <Stack>
        {invitations > 0 && (
          <Alert color="violet">
            <Anchor component={Link} href="/contracts" size="sm">
              {t("studio.invited", { count: invitations })}
            </Anchor>
          </Alert>
        )}
        <Async of={progress}>
          {({ today }) => (
            <Async of={earnings}>
              {({ name, available, maturing, debt }) => (
                <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
                  <Figure label={t("studio.earned_today", { name })} value={formatNumber(today.earnings)} />
                  <Figure label={t("studio.sat_today")} value={formatDuration(today.seat_seconds)} />
                  <Figure label={labelOf("fields", "available")} value={formatNumber(available)} />
                  {debt > 0 ? (
                    <Figure label={labelOf("fields", "debt")} value={formatNumber(debt)} />
                  ) : (
                    <Figure label={labelOf("fields", "maturing")} value={formatNumber(maturing)} />
                  )}
                </SimpleGrid>
              )}
            </Async>
          )}
        </Async>
        <Async of={progress}>{(data) => <Period of={data} />}</Async>
      </Stack>
    </>
  );
}

const Figure = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <Paper withBorder p="sm" className="figure">
    <b>{value}</b>
    <Text size="xs" c="dimmed" component="span">
      {label}
    </Text>
  </Paper>
);

function Period({ of }: { readonly of: DataOf<"getProgress"> }) {
  const { contract, earnings, seat_seconds, seat_days, day_minutes, weight, targets, level, next_level, salary } = of;
  return (
    <Section title={periodText(of)}>
      <Stack>
        <Text size="sm" c="dimmed">
          {contract ? t("studio.with", { agency: contract.agency.name }) : t("studio.no_contract")}
        </Text>
        <Facts
          of={[
            [labelOf("fields", "earnings"), formatNumber(earnings)],
            [t("studio.on_seats"), formatDuration(seat_seconds)],
            ...(contract
              ? ([
                  [t("studio.days", { minutes: day_minutes }), formatNumber(seat_days)],
                  [labelOf("fields", "level"), level?.name ?? "–"],
                  ...(next_level
                    ? [[t("studio.next_level", { level: next_level.name }), formatNumber(next_level.earnings)] as const]
                    : []),
                  [t("studio.salary_so_far"), formatNumber(salary)],
                ] as const)
              : []),
          ]}
        />
        {targets.map(({ metric, threshold, reached, weight: of }) => (
          <div key={`${metric} ${threshold}`}>
            <Group justify="space-between" mb={4}>
              <Text size="sm">
                {metricText(metric)}{" "}
                <Badge variant="light" color={reached >= threshold ? "teal" : "gray"}>
                  {`${of} %`}
                </Badge>
              </Text>
              <Text size="sm" className="number">
                {t("studio.reached", { value: byMetric(metric, reached), of: byMetric(metric, threshold) })}
              </Text>
            </Group>
            <Progress
              value={threshold === 0 ? 100 : Math.min(100, (100 * reached) / threshold)}
              color={reached >= threshold ? "teal" : "violet"}
              aria-label={metricText(metric)}
            />
          </div>
        ))}
        {targets.length > 0 && <Text size="sm">{t("studio.weight", { weight })}</Text>}
      </Stack>
    </Section>
  );
}
