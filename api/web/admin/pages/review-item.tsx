import { Anchor, Badge, Button, Group, Kbd, Stack, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "wouter";
import type { ManagedReportDetails, QueuedReviewDetails } from "../../../../shared/client/admin.ts";
import { useAccount, useCan } from "../account.tsx";
import { useRead } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { isPicture, Picture } from "../parts/picture.tsx";
import { Facts, Rows } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { labelOf, t } from "../texts.ts";
import { keyOf, type Verb, verbsFor } from "./review-decisions.ts";
import { Due } from "./review-due.tsx";

interface Props {
  readonly id: string;
  readonly act: (review: QueuedReviewDetails, verb: Verb, asks?: boolean) => void;
  readonly claim: (id: string) => void;
  /** Whether its decision is about to be sent. */
  readonly isPending: boolean;
}

/** What is reviewed, with its evidence, the decisions that fit it, and the history of the person. */
export const ReviewItem = ({ id, ...how }: Props) => (
  <Async of={useRead("getQueuedReview", { params: { id } })}>
    {(review) => (review.id === id ? <Item review={review} {...how} /> : null)}
  </Async>
);

const Item = ({ review, act, claim, isPending }: Omit<Props, "id"> & { readonly review: QueuedReviewDetails }) => {
  const { id, kind, about, user, cause, note, status } = review;
  const report = useRead("getReport", { params: { id } }, { enabled: kind === "report" }).data;
  return (
    <Stack component="article" aria-label={t("review.item", { name: user.full_name })} gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h4">
          <Named type="user" id={user.id} /> · {labelOf("values", about)}
        </Title>
        <Due of={review} />
      </Group>
      <Group gap="xs">
        <Badge variant="light" color="orange">
          {cause}
        </Badge>
        <Text size="sm" c="dimmed">
          {t(
            kind === "report"
              ? "review.reported"
              : review.reach > 0
                ? "review.shown"
                : review.shadowed
                  ? "review.shadowed"
                  : "review.held",
          )}{" "}
          · <bdi>{formatTime(review.created_at)}</bdi>
        </Text>
      </Group>
      <Evidence of={review} />
      {report && <Reported of={report} />}
      {!isPending && <Decisions review={review} act={act} claim={claim} report={report} />}
      {status === "closed" && (
        <Facts
          of={[
            [labelOf("fields", "decided_at"), review.decided_at ? formatTime(review.decided_at) : "–"],
            [
              labelOf("fields", "decided_by"),
              review.decided_by ? <Named key="by" type="admin" id={review.decided_by} /> : "–",
            ],
            ...(note ? [[labelOf("fields", "note"), note] as const] : []),
          ]}
        />
      )}
      <History of={review} />
    </Stack>
  );
};

/** Fields of evidence that say what it is. */
const telling = ["body", "content", "text", "name", "full_name", "username", "bio", "description", "file_name"];

/** What was written, as it read at that moment, what it said before it was edited, and its picture or link. */
export function Evidence({
  of: { kind, text, evidence },
}: {
  readonly of: Pick<QueuedReviewDetails, "kind" | "text" | "evidence">;
}) {
  const textOf = (name: string) => (typeof evidence[name] === "string" ? (evidence[name] as string) : "");
  const shown = telling.map((name) => [name, textOf(name)] as const).filter(([, value]) => value !== "");
  const lines = kind === "content" && text !== "" ? [["text", text] as const] : shown;
  const earlier = Array.isArray(evidence.earlier) ? (evidence.earlier as readonly string[]) : [];
  const urls = Object.values({ ...evidence, ...(evidence.media as object | undefined) }).filter(
    (value): value is string => typeof value === "string" && /^(https?:\/)?\//.test(value),
  );
  return (
    <blockquote className="evidence">
      {lines.length + urls.length === 0 && t("start.no_evidence")}
      {earlier.map((said, index) => (
        <Text key={index} size="sm" c="dimmed" component="p" m={0}>
          <del>{said}</del>
        </Text>
      ))}
      {lines.map(([name, value]) => (
        <Text key={name} component="p" m={0}>
          {lines.length > 1 && <b>{labelOf("fields", name)}: </b>}
          <bdi>{value}</bdi>
        </Text>
      ))}
      {urls.map((url) =>
        isPicture(url) ? (
          <Picture key={url} url={url} />
        ) : (
          <Anchor key={url} href={url} target="_blank" rel="noreferrer" size="sm" className="long">
            {url}
          </Anchor>
        ),
      )}
      {(["room_id", "post_id"] as const)
        .filter((name) => textOf(name))
        .map((name) => (
          <Text key={name} size="sm" component="p" m={0}>
            {labelOf("fields", name)}: <Named type={name.replace("_id", "")} id={textOf(name)} />
          </Text>
        ))}
    </blockquote>
  );
}

interface ReportedProps {
  readonly of: ManagedReportDetails;
}

/** What the reporter says, what was heard, and who looks into it. */
const Reported = ({ of: { details, reporter, claimed_by, open_reports_of_target, voice_evidence } }: ReportedProps) => (
  <Text size="sm" component="div">
    <Named type="user" id={reporter.id} />
    {details && (
      <>
        : “<bdi>{details}</bdi>”
      </>
    )}
    {open_reports_of_target > 1 && ` · ${t("review.same", { count: open_reports_of_target })}`}
    {voice_evidence.map(({ id, seconds }) => (
      <Fragment key={id}>
        {" · "}
        <Anchor component={Link} href={`/voice-evidence/${id}`} size="sm">
          {labelOf("fields", "voice_evidence")}: {t("health.seconds", { count: seconds })}
        </Anchor>
      </Fragment>
    ))}
    {claimed_by && (
      <>
        {" "}
        · {labelOf("fields", "claimed_by")}: <Named type="admin" id={claimed_by} />
      </>
    )}
  </Text>
);

interface DecisionsProps extends Pick<Props, "act" | "claim"> {
  readonly review: QueuedReviewDetails;
  readonly report: ManagedReportDetails | undefined;
}

function Decisions({ review, act, claim, report }: DecisionsProps) {
  const can = useCan();
  const me = useAccount().id;
  const verbs = verbsFor(review, can);
  if (verbs.length === 0) return null;
  return (
    <Group gap="xs">
      {verbs.map((verb) => (
        <Button
          key={verb}
          size="sm"
          variant={verb === "release" ? "filled" : "light"}
          color={verb === "release" ? "teal" : verb === "warn" ? "violet" : "red"}
          rightSection={<Kbd size="xs">{keyOf[verb]}</Kbd>}
          aria-keyshortcuts={keyOf[verb]}
          onClick={() => act(review, verb, true)}
        >
          {t(review.kind === "report" && verb === "release" ? "start.dismiss" : `review.do.${verb}`)}
        </Button>
      ))}
      {report && report.claimed_by !== me && (
        <Button
          size="sm"
          variant="default"
          rightSection={<Kbd size="xs">c</Kbd>}
          aria-keyshortcuts="c"
          onClick={() => claim(review.id)}
        >
          {t("review.claim")}
        </Button>
      )}
    </Group>
  );
}

/** What there was with this person before: how much, and the latest of it. */
function History({ of: { id, user_id, history } }: { readonly of: QueuedReviewDetails }) {
  const can = useCan();
  const reviews = useRead("listReviewQueue", { query: { user_id, sort: "-due_at", limit: 6 } });
  const sanctions = useRead(
    "listSanctions",
    { query: { user_id, sort: "-created_at", limit: 3 } },
    { enabled: can("sanctions.read") },
  );
  const earlier = (reviews.data?.items ?? []).filter((one) => one.id !== id).slice(0, 5);
  return (
    <section aria-label={t("review.history")}>
      <Title order={3} size="h5" mb={4}>
        {t("review.history")}
      </Title>
      <Facts
        of={[
          [t("review.reports"), history.reports],
          [t("review.rejected"), history.rejected],
          [t("story.sanctions"), history.sanctions],
        ]}
      />
      {(sanctions.data?.items ?? []).length > 0 && (
        <Rows
          rows={sanctions.data?.items ?? []}
          id={(one) => one.id}
          main={(one) => (
            <>
              {one.kinds.map((kind) => labelOf("values", kind)).join(", ") || t("review.warning")} · “{one.reason}”
            </>
          )}
          side={(one) => <bdi>{formatTime(one.created_at)}</bdi>}
        />
      )}
      {earlier.length > 0 && (
        <Rows
          rows={earlier}
          id={(one) => one.id}
          main={(one) => (
            <Anchor component={Link} href={`/review-queue/${one.id}`} size="sm">
              {labelOf("values", one.about)} · {one.cause}
            </Anchor>
          )}
          side={(one) => <Status value={one.status} />}
        />
      )}
    </section>
  );
}
