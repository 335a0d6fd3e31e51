import type { Topic } from "#shared/contracts/domain-events.ts";
import { queryColumn } from "#shared/db/query.ts";
import { onSignal, onSignalsConnected } from "#shared/db/signals.ts";
import { logger } from "#shared/kernel/logger.ts";

/** Means all kinds. */
export const everyKind = "*";

/** The kinds that an endpoint or a sink wants: read at the start, and again when one has changed. */
let wanted: ReadonlySet<string> = new Set();

/** Whether events of this topic are logged. */
export const isWanted = (topic: Topic): boolean => wanted.has(topic) || wanted.has(everyKind);

/** Whether any event is. */
export const isAnyWanted = (): boolean => wanted.size > 0;

let reading: Promise<void> = Promise.resolve();

/** Reads what is wanted, one after another, so that an older result never overwrites a newer. */
export function loadWanted(): Promise<void> {
  reading = reading
    .catch(() => undefined)
    .then(async () => {
      wanted = new Set(
        await queryColumn(
          `SELECT kind FROM event_endpoints CROSS JOIN unnest(kinds) AS kind
           UNION SELECT '${everyKind}' FROM event_sinks WHERE active`,
          [],
        ),
      );
    });
  return reading;
}

onSignalsConnected(loadWanted);
onSignal("events.wanted", () => {
  loadWanted().catch((error: unknown) => logger.error({ err: error }, "the wanted events could not be read"));
});
