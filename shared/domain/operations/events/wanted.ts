import type { Topic } from "#shared/contracts/domain-events.ts";
import { keepCurrent } from "#shared/db/keep-current.ts";
import { queryColumn } from "#shared/db/query.ts";

/** Means all kinds. */
export const everyKind = "*";

/** The kinds that an endpoint or a sink wants: read at the start, and again when one has changed. */
let wanted: ReadonlySet<string> = new Set();

/** Whether events of this topic are logged. */
export const isWanted = (topic: Topic): boolean => wanted.has(topic) || wanted.has(everyKind);

/** Whether any event is. */
export const isAnyWanted = (): boolean => wanted.size > 0;

/** Reads what is wanted. */
export const loadWanted = keepCurrent("events.wanted", async () => {
  wanted = new Set(
    await queryColumn(
      `SELECT kind FROM event_endpoints CROSS JOIN unnest(kinds) AS kind
       UNION SELECT '${everyKind}' FROM event_sinks WHERE active`,
      [],
    ),
  );
});
