import { Anchor, Breadcrumbs, Group, Paper, Stack } from "@mantine/core";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { type DataOf, useRead } from "../data.ts";
import { ActionButton } from "../parts/action.tsx";
import { Async } from "../parts/async.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts } from "../parts/section.tsx";
import { Status } from "../parts/status.tsx";
import { labelOf, t, titleOf } from "../texts.ts";

type Evidence = DataOf<"getVoiceEvidence">;
type Recordings = DataOf<"listenToVoiceEvidence">;

/** What was said in a room before a report: who is heard, and, once two administrators have opened it, the audio. */
export default function VoiceEvidence() {
  const { id = "" } = useParams();
  const [heard, setHeard] = useState<Recordings>();
  return (
    <Async of={useRead("getVoiceEvidence", { params: { id } })}>
      {(evidence) => (
        <>
          <Breadcrumbs mb="xs" separatorMargin={6}>
            <Anchor component={Link} href="/voice-evidence" size="sm">
              {titleOf("/voice-evidence")}
            </Anchor>
            <span aria-hidden="true" />
          </Breadcrumbs>
          <PageTitle
            title={t("health.seconds", { count: evidence.seconds })}
            lead={<Status value={evidence.status} />}
            actions={
              <Group gap="xs">
                {(["requestVoiceEvidence", "approveVoiceEvidence", "closeVoiceEvidence"] as const).map((operation) => (
                  <ActionButton key={operation} operation={operation} id={id} record={{ ...evidence }} />
                ))}
                <ActionButton
                  operation="listenToVoiceEvidence"
                  id={id}
                  record={{ ...evidence }}
                  onDone={(data) => setHeard(data as Recordings)}
                />
              </Group>
            }
          />
          <Paper withBorder p="md">
            <Facts of={factsOf(evidence, heard)} />
          </Paper>
        </>
      )}
    </Async>
  );
}

const factsOf = (evidence: Evidence, heard?: Recordings) =>
  [
    ["room_id", <Named key="room" type="room" id={evidence.room_id} />] as const,
    evidence.started_at && (["started_at", formatTime(evidence.started_at)] as const),
    ["seats", <Seats key="seats" of={evidence} heard={heard} />] as const,
    ...evidence.report_ids.map((id) => ["report_ids", <Named key={id} type="report" id={id} />] as const),
    evidence.requested_by && (["requested_by", <Named key="by" type="admin" id={evidence.requested_by} />] as const),
    evidence.reason && (["reason", evidence.reason] as const),
    evidence.approved_by && (["approved_by", <Named key="to" type="admin" id={evidence.approved_by} />] as const),
    ["expires_at", formatTime(evidence.expires_at)] as const,
  ]
    .filter((fact) => fact !== null && fact !== "")
    .map(([name, value]) => [labelOf("fields", name.replace(/_ids?$/, "")), value] as const);

/** The people who are heard, for how long, and the audio, if it may be played now. */
const Seats = ({ of, heard }: { readonly of: Evidence; readonly heard: Recordings | undefined }) => (
  <Stack gap="xs">
    {of.seats.map(({ user_id, seconds }) => {
      const url = heard?.seats.find((seat) => seat.user_id === user_id)?.url;
      return (
        <Group key={user_id} gap="xs">
          <Named type="user" id={user_id} />
          {t("health.seconds", { count: seconds })}
          {/* biome-ignore lint/a11y/useMediaCaption: what was said has no captions. */}
          {url && <audio controls preload="none" src={new URL(url).pathname} />}
        </Group>
      );
    })}
  </Stack>
);
