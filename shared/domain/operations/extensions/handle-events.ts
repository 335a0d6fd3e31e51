import type { Topic } from "#shared/contracts/domain-events.ts";
import { defineJob, type JobKind } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { isOn, type LoadedExtension, loadedExtensions, ownName } from "#shared/extension/loaded.ts";

type Payload = Readonly<Record<string, unknown>>;

/** Has one extension handle events: in a job, so that what it fails at delays nothing else. */
export const extensionEventsJob = defineJob<{ extension: string; topic: string; events: Payload[] }>(
  "handle_extension_events",
  { retries: 10, retryMaxSeconds: 3600, timeoutSeconds: 30 },
);

/** How many events a job has at most: it is a row. */
const eventsMax = 100;

const handlersOf = (topic: string): readonly LoadedExtension[] =>
  loadedExtensions.filter(({ parts }) => parts.after?.events && Object.hasOwn(parts.after.events, topic));

/** Whether an extension handles events of this topic. */
export const hasHandlers = (topic: Topic): boolean => loadedExtensions.length > 0 && handlersOf(topic).length > 0;

/** Step: enqueues what extensions do after these events. */
export async function enqueueHandlers(tx: Tx, topic: Topic, payloads: readonly object[]): Promise<void> {
  for (const { name: extension } of loadedExtensions.length > 0 ? handlersOf(topic) : [])
    for (let from = 0; from < payloads.length; from += eventsMax)
      await tx.enqueue(extensionEventsJob, {
        extension,
        topic,
        events: payloads.slice(from, from + eventsMax) as Payload[],
      });
}

/** Handles events. An extension that is off misses them, but for those that it names; one that is gone, all. */
export async function handleEvents({
  extension,
  topic,
  events,
}: NonNullable<typeof extensionEventsJob.data>): Promise<void> {
  const found = loadedExtensions.find(({ name }) => name === extension);
  const { events: handlers, whileOff = [] } = found?.parts.after ?? {};
  const handle = handlers?.[topic];
  if (!found || !handle || !(isOn(found) || whileOff.includes(topic))) return;
  await inTransaction((tx) => handle(found.txOf(tx), events));
}

/** What jobs of extensions do, and when those with a timetable begin. */
export interface ExtensionWork {
  readonly kind: JobKind<object>;
  readonly run: (data: never) => Promise<void>;
  readonly cron: string | undefined;
}

const defaultRetries = 5;
let work: readonly ExtensionWork[] | undefined;

/** Returns the jobs of all extensions; defines them at the first call, before jobs start. */
export function extensionJobs(): readonly ExtensionWork[] {
  work ??= loadedExtensions.flatMap(({ name, parts }) =>
    Object.entries(parts.jobs ?? {}).map(([job, { run, cron, retries = defaultRetries }]) => {
      const options = { retries, retryMaxSeconds: 3600, timeoutSeconds: 60, ...(cron && { exclusive: true as const }) };
      return { kind: defineJob<object>(ownName(name, job), options), run, cron };
    }),
  );
  return work;
}
