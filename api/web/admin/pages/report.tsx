import { Anchor, Breadcrumbs, Paper, Stack } from "@mantine/core";
import { Link, useParams } from "wouter";
import { useRead } from "../data.ts";
import { ActionButton } from "../parts/action.tsx";
import { Async } from "../parts/async.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { labelOf, t, titleOf } from "../texts.ts";
import { Report as Card } from "./open-reports.tsx";
import "./pages.css";

/** A report with what was reported, and the decisions that fit it; once it is closed, what was decided. */
export default function Report() {
  const { id = "" } = useParams();
  const found = useRead("getReport", { params: { id } });
  return (
    <Async of={found}>
      {(report) => (
        <>
          <Breadcrumbs mb="xs" separatorMargin={6}>
            <Anchor component={Link} href="/reports" size="sm">
              {titleOf("/reports")}
            </Anchor>
            <span aria-hidden="true" />
          </Breadcrumbs>
          <PageTitle
            title={t("start.report_of", { name: report.target_user.full_name })}
            lead={<Status value={report.status} />}
            actions={<ActionButton operation="claimReport" id={id} record={{ ...report }} />}
          />
          <Paper withBorder p="md">
            <Stack>
              <Card of={report} />
              <Facts of={factsOf(report)} />
            </Stack>
          </Paper>
        </>
      )}
    </Async>
  );
}

const Voice = ({ id, seconds }: { readonly id: string; readonly seconds: number }) => (
  <Anchor component={Link} href={`/voice-evidence/${id}`} size="sm">
    {t("health.seconds", { count: seconds })}
  </Anchor>
);

type Reported = Parameters<typeof Card>[0]["of"];

/** Returns who looks into a report, how it ended, and what it is about, as far as there is something to say. */
const factsOf = ({ claimed_by, claimed_until, action, note, closed_by, closed_at, ...report }: Reported) =>
  [
    ["target_id", <Named key="target" type={report.target_type} id={report.target_id} />] as const,
    report.open_reports_of_target > 1 && (["open_reports_of_target", report.open_reports_of_target] as const),
    ...report.voice_evidence.map(
      ({ id, seconds }) => ["voice_evidence", <Voice key={id} id={id} seconds={seconds} />] as const,
    ),
    claimed_by && (["claimed_by", <Named key="claimed" type="admin" id={claimed_by} />] as const),
    claimed_until && (["claimed_until", formatTime(claimed_until)] as const),
    action && (["action", <Status key="action" value={action} />] as const),
    note && (["note", note] as const),
    closed_by && (["closed_by", <Named key="closed" type="admin" id={closed_by} />] as const),
    closed_at && (["closed_at", formatTime(closed_at)] as const),
  ]
    .filter((fact) => fact !== false && fact !== "" && fact !== null)
    .map(([name, value]) => [labelOf("fields", name), value] as const);
