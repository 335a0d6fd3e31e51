import { Badge, Button, Paper, Progress, Stack, Text } from "@mantine/core";
import { useParams } from "wouter";
import { useCan } from "../account.tsx";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { useConfirm } from "../parts/confirm.tsx";
import { formatTime } from "../parts/format.ts";
import { Named } from "../parts/named.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Facts } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { wordFor } from "../parts/words.ts";
import { labelOf, t } from "../texts.ts";
import "./pages.css";

type Sent = DataOf<"getBroadcast">;

const colors = { scheduled: "blue", sending: "violet", sent: "teal", stopped: "red" } as const;
const isOpen = ({ status }: Pick<Sent, "status">): boolean => status === "scheduled" || status === "sending";

/** A broadcast with its progress, which can be stopped. */
export default function Broadcast() {
  const { id = "" } = useParams();
  const found = useRead("getBroadcast", { params: { id } }, { refetchWhile: isOpen });
  return (
    <Async of={found}>
      {(broadcast) => (
        <>
          <PageTitle
            title={broadcast.title}
            lead={
              <Badge variant="light" color={colors[broadcast.status]}>
                {labelOf("values", broadcast.status)}
              </Badge>
            }
            actions={isOpen(broadcast) && <Stop of={broadcast} />}
          />
          <Paper withBorder p="md">
            <Stack>
              <div className="phone-preview">
                <b>{broadcast.title}</b>
                <div>{broadcast.body}</div>
              </div>
              <Sending of={broadcast} />
              <Facts
                of={[
                  [t("broadcast.audience"), t(`broadcast.to.${broadcast.audience}`)],
                  ...(broadcast.country
                    ? ([[t("broadcast.country"), wordFor("country", broadcast.country)]] as const)
                    : []),
                  [t("broadcast.at"), formatTime(broadcast.scheduled_at)],
                  [t("broadcast.ended"), broadcast.ended_at ? formatTime(broadcast.ended_at) : "–"],
                  [t("broadcast.by"), <Named key="by" type="admin" id={broadcast.created_by} />],
                ]}
              />
            </Stack>
          </Paper>
        </>
      )}
    </Async>
  );
}

function Sending({ of: { recipients, notified } }: { readonly of: Sent }) {
  if (recipients === null) return <Text>{t("broadcast.waits")}</Text>;
  return (
    <div>
      <Progress
        value={recipients === 0 ? 100 : (100 * notified) / recipients}
        aria-label={t("broadcast.progress")}
        size="lg"
      />
      <Text size="sm" role="status">
        {t("broadcast.notified", { count: recipients, notified })}
      </Text>
    </div>
  );
}

function Stop({ of: { id, recipients, notified } }: { readonly of: Sent }) {
  const can = useCan();
  const confirm = useConfirm();
  const stop = useWrite("stopBroadcast");
  if (!can("notifications.write")) return null;
  const act = async () => {
    const title = t("broadcast.stop");
    const consequence =
      recipients === null
        ? t("broadcast.stop_waiting_effect")
        : t("broadcast.stop_effect", { count: notified, recipients });
    if (!(await confirm({ title, consequence, action: title, isDanger: true }))) return;
    await stop.mutateAsync({ params: { id } });
    toast.done(t("broadcast.stopped"));
  };
  return (
    <Button color="red" onClick={() => void act()}>
      {t("broadcast.stop")}
    </Button>
  );
}
