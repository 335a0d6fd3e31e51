import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useCan } from "../account.tsx";
import { type DataOf, useRead, useWrite } from "../data.ts";
import { Async } from "../parts/async.tsx";
import { formatNumber, formatTime } from "../parts/format.ts";
import { Facts, Rows, Section } from "../parts/section.tsx";
import { toast } from "../parts/toast.ts";
import { labelOf, t } from "../texts.ts";

const often = 15_000;
const colors = { up: "teal", degraded: "yellow", down: "red", not_configured: "gray" } as const;
const parts = ["database", "replica", "redis", "engine", "jobs", "outbox", "voice", "mail", "sms", "push"] as const;

/** What runs, what waits, and what failed too often. */
export function ServiceState() {
  const health = useRead("getHealth", {}, { refetchInterval: often });
  return (
    <Section title={t("health.title")} all="/health">
      <Async of={health}>
        {(found) => (
          <Stack>
            <Group gap={6}>
              {parts.map((name) => (
                <Badge key={name} variant="light" color={colors[found[name].status]} title={found[name].error ?? ""}>
                  {`${labelOf("fields", name)}: ${t(`health.status.${found[name].status}`)}`}
                </Badge>
              ))}
            </Group>
            <Waiting of={found} />
            {(found.jobs.dead ?? 0) > 0 && <DeadJobs />}
            {(found.outbox.dead ?? 0) > 0 && <DeadEvents />}
          </Stack>
        )}
      </Async>
    </Section>
  );
}

const numberOr = (value: number | null): string => (value === null ? "–" : formatNumber(value));

const Waiting = ({ of: { jobs, outbox } }: { readonly of: DataOf<"getHealth"> }) => (
  <Facts
    of={[
      [t("health.jobs_waiting"), numberOr(jobs.waiting)],
      [t("health.jobs_dead"), numberOr(jobs.dead)],
      [t("health.outbox_waiting"), numberOr(outbox.waiting)],
      [t("health.outbox_lag"), t("health.seconds", { count: Math.round(outbox.lag_seconds ?? 0) })],
      [t("health.outbox_dead"), numberOr(outbox.dead)],
    ]}
  />
);

function DeadJobs() {
  const jobs = useRead("listDeadJobs", { query: { limit: 5 } });
  const retry = useWrite("retryDeadJob");
  const again = async (id: string) => {
    await retry.mutateAsync({ params: { id: String(id) } });
    toast.done(t("health.retried"));
  };
  return (
    <section aria-label={t("health.jobs_dead")}>
      <Text fw={600} size="sm">
        {t("health.jobs_dead")}
      </Text>
      <Async of={jobs}>
        {({ items }) => (
          <Rows
            rows={items}
            id={({ id }) => id}
            main={({ job, error, died_at }) => <Failed what={job} error={error} at={died_at} />}
            side={({ id, job }) => <Retry what={job} onClick={() => void again(id)} />}
          />
        )}
      </Async>
    </section>
  );
}

function DeadEvents() {
  const events = useRead("listDeadEvents", { query: { limit: 5 } });
  const retry = useWrite("retryDeadEvent");
  const again = async (id: number) => {
    await retry.mutateAsync({ params: { id: String(id) } });
    toast.done(t("health.retried"));
  };
  return (
    <section aria-label={t("health.outbox_dead")}>
      <Text fw={600} size="sm">
        {t("health.outbox_dead")}
      </Text>
      <Async of={events}>
        {(items) => (
          <Rows
            rows={items}
            id={({ id }) => id}
            main={({ topic, target, error, died_at }) => (
              <Failed what={`${topic} → ${target}`} error={error} at={died_at} />
            )}
            side={({ id, topic }) => <Retry what={topic} onClick={() => void again(id)} />}
          />
        )}
      </Async>
    </section>
  );
}

const Failed = ({ what, error, at }: { readonly what: string; readonly error: string; readonly at: string }) => (
  <>
    <code>{what}</code>
    <Text size="xs" c="dimmed" lineClamp={2}>
      {formatTime(at)} · {error}
    </Text>
  </>
);

function Retry({ what, onClick }: { readonly what: string; readonly onClick: () => void }) {
  const can = useCan();
  if (!can("health.write")) return null;
  return (
    <Button size="compact-xs" variant="light" onClick={onClick} aria-label={t("health.retry_of", { what })}>
      {t("health.retry")}
    </Button>
  );
}
