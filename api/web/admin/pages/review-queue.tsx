import { Button, Group, Kbd, Paper, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { QueuedReview, QueuedReviewDetails } from "../../../../shared/client/admin.ts";
import { useCan } from "../account.tsx";
import { useApi } from "../api.ts";
import { call, queries, useRead } from "../data.ts";
import { useAddress } from "../parts/address.ts";
import { Async } from "../parts/async.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Nothing, Section } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { DownloadButton } from "../resources/download.tsx";
import { labelOf, t } from "../texts.ts";
import { decide, keyOf, type SanctionChoice, type Verb, verbsFor } from "./review-decisions.ts";
import { ReviewFigures } from "./review-figures.tsx";
import { ReviewItem } from "./review-item.tsx";
import { KeysDialog, useKeys } from "./review-keys.tsx";
import { ReviewList } from "./review-list.tsx";
import { usePending } from "./review-pending.ts";
import { lastChoice, periodText, SanctionDialog } from "./sanction-dialog.tsx";
import "./pages.css";

const often = 15_000;
const views = ["open", "late", "closed"] as const;
type View = (typeof views)[number];

const queryOf = (view: View) =>
  ({
    open: { status: "open", sort: "-urgency" },
    late: { status: "open", late: "true", sort: "-urgency" },
    closed: { status: "closed", sort: "-due_at" },
  })[view] as { status: "open" | "closed"; late?: "true"; sort: "-urgency" | "-due_at" };

/** Reports and held content in one list, by harm and reach: each is decided with one key. */
export default function ReviewQueue() {
  const [address] = useAddress();
  const view = views.find((one) => one === address.view) ?? "open";
  const list = useRead("listReviewQueue", { query: { ...queryOf(view), limit: 50 } }, { refetchInterval: often });
  const operation = useApi().operation("listReviewQueue");
  return (
    <>
      <PageTitle
        title={t("review.title")}
        lead={t("review.lead")}
        actions={<DownloadButton operation={operation} query={queryOf(view)} />}
      />
      <Stack>
        <ReviewFigures />
        <Async of={list}>{({ items, total }) => <Queue view={view} items={items} total={total} />}</Async>
      </Stack>
    </>
  );
}

interface QueueProps {
  readonly view: View;
  readonly items: readonly QueuedReview[];
  readonly total: number;
}

function Queue({ view, items, total }: QueueProps) {
  const { id: asked } = useParams();
  const [, navigate] = useLocation();
  const pending = usePending();
  const [chosen, setChosen] = useState<string>();

  const shown = items.filter(({ id }) => !pending.isPending(id));
  const current = chosen ?? asked ?? shown[0]?.id;
  const at = shown.findIndex(({ id }) => id === current);
  const move = (by: 1 | -1) => {
    const next = shown[at + by];
    if (next) setChosen(next.id);
  };

  const { act, asking, stopAsking, chose } = useDecisions(pending, (id) => {
    const from = shown.findIndex((one) => one.id === id);
    setChosen((shown[from + 1] ?? shown[from - 1])?.id);
  });
  const claim = (id: string) =>
    void call("claimReport", { params: { id } })
      .then(() => toast.done(t("review.claimed")))
      .catch(toast.failed)
      .then(() => queries.invalidateQueries());
  const undo = () => {
    const id = pending.undo();
    if (id) setChosen(id);
  };

  const keys = useKeys((key) => {
    const details = queries.getQueryData<QueuedReviewDetails>(["getQueuedReview", { params: { id: current } }]);
    const verb = (Object.keys(keyOf) as Verb[]).find((one) => keyOf[one] === key);
    if (verb || key === "T") {
      if (details) act(details, verb ?? "sanction", key === "T");
    } else if (key === "j" || key === "k") move(key === "j" ? 1 : -1);
    else if (key === "c" && details?.kind === "report" && details.status === "open") claim(details.id);
    else if (key === "u") undo();
    else return false;
    return true;
  });

  return (
    <>
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          value={view}
          onChange={(next) => {
            setChosen(undefined);
            navigate(`/review-queue?view=${next}`);
          }}
          aria-label={labelOf("fields", "status")}
          data={views.map((value) => ({ value, label: t(`review.view.${value}`) }))}
        />
        <Button variant="subtle" size="sm" onClick={keys.openHelp} rightSection={<Kbd size="xs">?</Kbd>}>
          {t("review.keys")}
        </Button>
      </Group>
      <div className="review">
        <Section title={t("review.waiting")} count={total}>
          <ReviewList of={shown} current={current} choose={setChosen} />
        </Section>
        <Paper withBorder p="md" className="part">
          {current ? (
            <ReviewItem key={current} id={current} act={act} claim={claim} isPending={pending.isPending(current)} />
          ) : (
            <Nothing>{t("review.nothing")}</Nothing>
          )}
        </Paper>
      </div>
      <div role="status" className="undo">
        {pending.last && (
          <Paper withBorder shadow="md" p="xs">
            <Group gap="sm" justify="center">
              <Text size="sm">{pending.last.said}</Text>
              <Button size="xs" variant="default" onClick={undo} rightSection={<Kbd size="xs">u</Kbd>}>
                {t("review.undo")}
              </Button>
            </Group>
          </Paper>
        )}
      </div>
      {asking && <SanctionDialog name={asking.user.full_name} onClose={stopAsking} onChosen={chose} />}
      <KeysDialog isOpen={keys.isHelpOpen} close={keys.closeHelp} isOn={keys.isOn} turn={keys.turn} />
    </>
  );
}

/** Decides about reviews: `moveOn` gets the ID of each. A sanction is asked for unless there was one before. */
function useDecisions({ add, isPending }: ReturnType<typeof usePending>, moveOn: (id: string) => void) {
  const can = useCan();
  const [asking, setAsking] = useState<QueuedReviewDetails>();
  const send = (review: QueuedReviewDetails, verb: Verb, choice?: SanctionChoice) => {
    const mayRemove = verbsFor(review, can).includes("remove");
    const did = t(review.kind === "report" && verb === "release" ? "start.decided.dismissed" : `review.did.${verb}`);
    const detail = choice
      ? ` ${choice.kinds.map((kind) => labelOf("values", kind)).join(", ")}, ${periodText(choice.hours)}`
      : "";
    add({
      id: review.id,
      said: `${review.user.full_name}: ${did}${detail}`,
      send: () => decide(review, verb, { choice, mayRemove }),
    });
    moveOn(review.id);
  };
  const act = (review: QueuedReviewDetails, verb: Verb, asks = false) => {
    if (isPending(review.id) || !verbsFor(review, can).includes(verb)) return;
    const choice = verb === "sanction" ? lastChoice() : undefined;
    if (verb === "sanction" && (asks || !choice)) setAsking(review);
    else send(review, verb, choice);
  };
  return {
    act,
    asking,
    stopAsking: () => setAsking(undefined),
    chose: (choice: SanctionChoice) => {
      setAsking(undefined);
      if (asking) send(asking, "sanction", choice);
    },
  };
}
