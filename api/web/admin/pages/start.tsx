import { Badge, Paper, SegmentedControl, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useCan } from "../account.tsx";
import { type DataOf, useRead } from "../data.ts";
import { useAddress } from "../parts/address.ts";
import { Async } from "../parts/async.tsx";
import { Chart } from "../parts/chart.tsx";
import { formatNumber } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Rows, Section } from "../parts/section.tsx";
import { t } from "../texts.ts";
import { OpenReports } from "./open-reports.tsx";
import { ServiceState } from "./service-state.tsx";
import "./pages.css";

/** Milliseconds after which figures of this moment are read again. */
const often = 15_000;
const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What an administrator looks at first. */
export default function Start() {
  const can = useCan();
  return (
    <>
      <PageTitle title={t("start.title")} lead={t("start.lead")} />
      <Stack>
        <Figures />
        <div className="columns">
          {can("reports.read") && <OpenReports />}
          <Stack>
            {can("health.read") && <ServiceState />}
            {can("rooms.read") && <LiveRooms />}
          </Stack>
        </div>
        {can("charts.read") && <Charts />}
      </Stack>
    </>
  );
}

function Figures() {
  const dashboard = useRead("getDashboard", { query: { time_zone } }, { refetchInterval: often });
  return (
    <Async of={dashboard}>
      {({ now, today }) => (
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 9 }} spacing="sm">
          <Figure label={t("start.open_reports")} value={now.open_reports} to="/reports?status=open" />
          <Figure label={t("start.open_tickets")} value={now.open_tickets} to="/tickets?status=open" />
          <Figure label={t("start.pending_approvals")} value={now.pending_approvals} to="/approvals" />
          <Figure label={t("start.online")} value={now.online_users} to="/users" />
          <Figure label={t("start.in_rooms")} value={now.people_in_rooms} to="/rooms?live=true" />
          <Figure label={t("start.gifts_today")} value={today.gifts} to="/transactions?type=gift_sent" />
          <Figure label={t("start.coins_today")} value={today.coin_sales} to="/orders?kind=coins&status=paid" />
          <Figure label={t("start.new_today")} value={today.user_growth} to="/users?sort=-created_at" />
          <Figure label={t("start.suspended")} value={now.suspended_users} to="/users?status=suspended" />
        </SimpleGrid>
      )}
    </Async>
  );
}

const Figure = ({ label, value, to }: { readonly label: string; readonly value: number; readonly to: string }) => (
  <Paper withBorder p="sm" component={Link} href={to} className="figure">
    <b>{formatNumber(value)}</b>
    <Text size="xs" c="dimmed" component="span">
      {label}
    </Text>
  </Paper>
);

function LiveRooms() {
  const rooms = useRead("listRooms", { query: { live: true, limit: 8 } }, { refetchInterval: often });
  return (
    <Section title={t("start.live_rooms")} count={rooms.data?.total} all="/rooms?live=true">
      <Async of={rooms}>
        {({ items }) => (
          <Rows
            rows={items}
            id={({ id }) => id}
            main={({ id, host_id }) => (
              <>
                <Named type="room" id={id} /> · <Named type="user" id={host_id} />
              </>
            )}
            side={({ member_count, seated_count }) => (
              <Badge variant="light">{t("start.members", { count: member_count, seated: seated_count })}</Badge>
            )}
          />
        )}
      </Async>
    </Section>
  );
}

const lengths = ["7", "30", "90"];

function Charts() {
  const [{ days = "30" }, change] = useAddress();
  return (
    <Section
      title={t("start.charts")}
      actions={
        <SegmentedControl
          size="xs"
          value={lengths.includes(days) ? days : "30"}
          onChange={(value) => change({ days: value })}
          aria-label={t("start.period")}
          data={lengths.map((value) => ({ value, label: t("start.days", { count: Number(value) }) }))}
        />
      }
    >
      <div className="columns">
        {(["coin_sales", "gifts", "user_growth", "room_activity", "engagement"] as const).map((type) => (
          <OneChart key={type} type={type} days={Number(lengths.includes(days) ? days : 30)} />
        ))}
      </div>
    </Section>
  );
}

type ChartType = keyof DataOf<"getDashboard">["today"];

function OneChart({ type, days }: { readonly type: ChartType; readonly days: number }) {
  const chart = useRead("getChart", { query: { type, days, time_zone } });
  return (
    <Async of={chart} lines={3}>
      {(points) => <Chart title={t(`start.chart.${type}`)} points={points} />}
    </Async>
  );
}
