import { Button, Group, Paper, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useAccount, useCan } from "../account.tsx";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { isPicture, Picture } from "../parts/picture.tsx";
import { Facts, Nothing, Rows, Section } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { toast } from "../parts/toast.ts";
import { labelOf, t } from "../texts.ts";
import { Evidence } from "./review-item.tsx";
import "./pages.css";

type Appeal = DataOf<"listAppeals">["items"][number];

/** The appeals that wait, each with what it is about, and a form that decides it; then those that were decided. */
export default function Appeals() {
  const open = useRead("listAppeals", { query: { status: "open", sort: "created_at", limit: 20 } });
  const latest = useRead("listAppeals", { query: { sort: "-created_at", limit: 20 } });
  return (
    <>
      <PageTitle title={t("appeals.title")} lead={t("appeals.lead")} />
      <Stack>
        <Section title={labelOf("values", "open")} count={open.data?.total}>
          <Async of={open}>
            {({ items }) => (
              <Stack>
                {items.length === 0 && <Nothing>{t("appeals.none")}</Nothing>}
                {items.map((one) => (
                  <Open key={one.id} of={one} />
                ))}
              </Stack>
            )}
          </Async>
        </Section>
        <Section title={t("approvals.latest")}>
          <Async of={latest}>
            {({ items }) => (
              <Rows
                rows={items.filter(({ status }) => status !== "open")}
                id={({ id }) => id}
                main={({ user_id, answer }) => (
                  <>
                    <Named type="user" id={user_id} /> · “{answer}”
                  </>
                )}
                side={({ status, decided_by }) => (
                  <>
                    <Status value={status} />
                    {decided_by && <Named type="admin" id={decided_by} />}
                  </>
                )}
              />
            )}
          </Async>
        </Section>
      </Stack>
    </>
  );
}

function Open({ of: { id, user_id, text, created_at } }: { readonly of: Appeal }) {
  return (
    <Paper withBorder p="sm" component="article" aria-labelledby={`of-${id}`}>
      <Group justify="space-between" gap="xs">
        <div id={`of-${id}`}>
          <Named type="user" id={user_id} />
        </div>
        <Text size="xs" c="dimmed">
          {formatTime(created_at)}
        </Text>
      </Group>
      <blockquote className="evidence">
        <bdi>{text || t("start.no_evidence")}</bdi>
      </blockquote>
      <Async of={useRead("getAppeal", { params: { id } })}>{(details) => <About of={details} />}</Async>
    </Paper>
  );
}

/** What an appeal is about, with its evidence, and the decision. */
function About({ of: { id, sanction, removal, review } }: { readonly of: DataOf<"getAppeal"> }) {
  const can = useCan();
  const me = useAccount().id;
  const { reason, created_by, created_at } = (sanction ?? removal)!;
  const isOwn = created_by === me;
  return (
    <>
      <Facts
        of={[
          ...(sanction ? factsOf(sanction) : []),
          ...(removal ? [[labelOf("fields", "kind"), labelOf("values", removal.kind)] as const] : []),
          [labelOf("fields", "reason"), reason || "–"],
          [labelOf("fields", "created_at"), formatTime(created_at)],
          [
            labelOf("fields", "created_by"),
            created_by ? <Named key="by" type="admin" id={created_by} /> : labelOf("values", "rule"),
          ],
        ]}
      />
      {removal && (
        <>
          <Text size="sm" mt="xs">
            {t("appeals.removed")}
          </Text>
          <blockquote className="evidence">
            {isPicture(removal.text) ? (
              <Picture url={removal.text} />
            ) : (
              <bdi>{removal.text || t("start.no_evidence")}</bdi>
            )}
          </blockquote>
        </>
      )}
      {review && (
        <>
          <Text size="sm" mt="xs">
            {t("appeals.evidence")}: <b>{review.cause}</b>
          </Text>
          <Evidence of={review} />
        </>
      )}
      {isOwn && <Text size="sm">{t("appeals.own")}</Text>}
      {can("appeals.write") && !isOwn && <Decide id={id} />}
    </>
  );
}

/** What only sanctions have. */
const factsOf = ({ kinds, until, suspends }: NonNullable<DataOf<"getAppeal">["sanction"]>) => [
  [
    labelOf("fields", "kinds"),
    suspends
      ? labelOf("values", "suspended")
      : kinds.map((kind) => labelOf("values", kind)).join(", ") || t("review.warning"),
  ] as const,
  [labelOf("fields", "until"), until ? formatTime(until) : t("story.until_lifted")] as const,
];

function Decide({ id }: { readonly id: string }) {
  const [answer, setAnswer] = useState("");
  const write = useWrite("decideAppeal", { onSuccess: () => toast.done(t("appeals.decided")) });
  const decide = (overturn: boolean) => write.mutate({ params: { id }, body: { overturn, answer: answer.trim() } });
  const isReady = answer.trim() !== "" && !write.isPending;
  return (
    <>
      <Textarea
        label={t("appeals.answer")}
        description={t("appeals.answer_hint")}
        required
        autosize
        maxLength={1000}
        my="xs"
        value={answer}
        onChange={(event) => setAnswer(event.currentTarget.value)}
      />
      <Group gap="xs">
        <Button size="xs" color="teal" disabled={!isReady} onClick={() => decide(true)}>
          {t("appeals.overturn")}
        </Button>
        <Button size="xs" variant="default" disabled={!isReady} onClick={() => decide(false)}>
          {t("appeals.uphold")}
        </Button>
      </Group>
    </>
  );
}
