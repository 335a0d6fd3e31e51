import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ManagedReportDetails, ResolveReportBody } from "../../../../shared/client/admin.ts";
import { useCan } from "../account.tsx";
import { useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { formatTime } from "../parts/format.ts";
import { endOf } from "../parts/period.tsx";
import { Nothing, Section } from "../parts/section.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { toast } from "../parts/toast.ts";
import { labelOf, t } from "../texts.ts";

/** The oldest open reports with their evidence, each decided with one click. */
export function OpenReports() {
  const reports = useRead("listReports", { query: { status: "open", sort: "created_at", limit: 4 } });
  return (
    <Section title={t("start.open_reports")} count={reports.data?.total} all="/reports?status=open">
      <Async of={reports}>
        {({ items }) => (
          <Stack gap="lg">
            {items.length === 0 && <Nothing>{t("start.no_reports")}</Nothing>}
            {items.map(({ id }) => (
              <OpenReport key={id} id={id} />
            ))}
          </Stack>
        )}
      </Async>
    </Section>
  );
}

const OpenReport = ({ id }: { readonly id: string }) => (
  <Async of={useRead("getReport", { params: { id } })}>{(details) => <Report of={details} hasLink />}</Async>
);

interface ReportProps {
  readonly of: ManagedReportDetails;
  /** Whether it links to its own page. */
  readonly hasLink?: boolean;
}

/** A report with its evidence and, while it is open, the decisions that fit it and this administrator's rights. */
export const Report = ({ of: details, hasLink = false }: ReportProps) => (
  <article aria-label={t("start.report_of", { name: details.target_user.full_name })}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">
        <Person of={details.target_user} /> · {labelOf("values", details.target_type)}
      </Text>
      <Badge variant="light" color="orange">
        {details.reason}
      </Badge>
    </Group>
    <Evidence of={details} />
    <Text size="xs" c="dimmed">
      <Sentence text={t("start.reported_by")} parts={{ user: <Person of={details.reporter} /> }} /> ·{" "}
      <bdi>{formatTime(details.created_at)}</bdi>
      {details.reports_against_user > 1 && ` · ${t("start.reports_against", { count: details.reports_against_user })}`}
    </Text>
    <Group gap="xs" mt="xs">
      {details.status === "open" && <Decision of={details} />}
      {hasLink && (
        <Anchor component={Link} href={`/reports/${details.id}`} size="sm">
          {t("parts.details")}
        </Anchor>
      )}
    </Group>
  </article>
);

const Person = ({ of: { id, full_name, username } }: { readonly of: ManagedReportDetails["reporter"] }) => (
  <Anchor component={Link} href={`/users/${id}`} size="sm" underline="always" title={`@${username}`}>
    {full_name}
  </Anchor>
);

/** Fields of evidence that say what it is; others are for the details of the report. */
const telling = ["body", "content", "name", "full_name", "username", "bio", "description", "attachment_url"];

/** What was reported, as it read at that moment. Images stay links: they come from other servers. */
function Evidence({ of: { evidence, details } }: { readonly of: ManagedReportDetails }) {
  const shown = telling.filter((name) => typeof evidence[name] === "string" && evidence[name] !== "");
  return (
    <>
      <blockquote className="evidence">
        {shown.length === 0 && t("start.no_evidence")}
        {shown.map((name) => (
          <Text key={name} size="sm" component="p" m={0}>
            {shown.length > 1 && <b>{labelOf("fields", name)}: </b>}
            {String(evidence[name])}
          </Text>
        ))}
      </blockquote>
      {details && (
        <Text size="sm" mb="xs">
          “{details}”
        </Text>
      )}
    </>
  );
}

type Action = NonNullable<ResolveReportBody["action"]>;

const isContent = (type: string): boolean => type === "post" || type === "comment";

function Decision({ of: { id, target_type, target_user } }: { readonly of: ManagedReportDetails }) {
  const can = useCan();
  const confirm = useConfirm();
  const resolve = useWrite("resolveReport");
  if (!can("reports.write")) return null;

  const may: Record<Action, boolean> = {
    warn: true,
    hide: isContent(target_type) && can("posts.write"),
    remove: target_type === "message" || target_type === "user" || (isContent(target_type) && can("posts.write")),
    suspend: can("users.suspend"),
  };
  const decide = async (body: ResolveReportBody) => {
    await resolve.mutateAsync({ params: { id }, body });
    toast.done(t(`start.decided.${body.action ?? "dismissed"}`));
  };
  const act = async (action: Action) => {
    const isSuspension = action === "suspend";
    const asked = await confirm({
      title: t(`start.do.${action}`),
      consequence: t(`start.consequence.${action}`, { name: target_user.full_name }),
      action: t(`start.do.${action}`),
      isDanger: action === "remove" || isSuspension,
      reason: isSuspension ? "required" : "optional",
      asksTold: action !== "warn",
      hasPeriod: isSuspension,
    });
    if (!asked) return;
    const until = isSuspension ? endOf(asked.period) : undefined;
    const { reason: note, told } = asked;
    await decide({ resolution: "resolved", action, until, ...(note && { note }), ...(told && { told }) });
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={resolve.isPending}
        onClick={() => void decide({ resolution: "dismissed" })}
      >
        {t("start.dismiss")}
      </Button>
      {(["warn", "hide", "remove", "suspend"] as const)
        .filter((action) => may[action])
        .map((action) => (
          <Button
            key={action}
            size="xs"
            variant="light"
            color={action === "warn" ? "violet" : "red"}
            onClick={() => void act(action)}
          >
            {t(`start.do.${action}`)}
          </Button>
        ))}
    </>
  );
}
