import Joi from "joi";
import type { Topic } from "#shared/contracts/domain-events.ts";
import { eventTopics } from "#shared/contracts/event-data.ts";
import { eventKinds } from "#shared/contracts/event-kinds.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { count, flag, line, listOf, nullable, object, oneOf, text, time } from "#shared/contracts/fields.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { problemOfUrl } from "#shared/domain/base/webhooks/post-webhook.ts";
import { DomainError, type FieldText } from "#shared/kernel/domain-error.ts";
import { EventEndpointModel, type EventFilter } from "./endpoint.model.ts";
import { everyKind } from "./wanted.ts";

/** The maximum number of endpoints. */
const endpointsMax = 20;

/** Where the operator's servers hear of what happens. */
export const managedEventEndpoints: ManagedResource = {
  resource: "event_endpoints",
  name: "event_endpoint",
  one: "an event endpoint",
  many: "event endpoints",
  model: EventEndpointModel,
  fields: {
    url: text(1, 500, "https://crm.example.com/hubbub").description(
      "http or https, also in your own network, without a user name.",
    ),
    kinds: listOf(oneOf(everyKind, ...eventTopics).example("gift.sent"))
      .min(1)
      .unique()
      .description("The kinds that it gets. `*`: all, with those of later releases."),
    filter: nullable(
      object({
        field: line(1, 60, "room_id"),
        values: listOf(text(1, 200, exampleIds.room))
          .min(1)
          .max(100)
          .unique(),
      }),
    )
      .description("Only events whose data have one of these values in this field. Null: all.")
      .example(null),
    ordered: flag(false).description(
      "Whether an event waits until those before it with the same key are delivered, or have failed for good.",
    ),
  },
  defaults: { filter: null, ordered: false },
  shown: {
    failing_since: nullable(time("2026-01-31T12:00:00.000Z"))
      .description("Since when nothing has been delivered, although it was tried.")
      .example(null),
    disabled_at: nullable(time("2026-01-31T12:00:00.000Z"))
      .description("Since when it is paused: by an administrator, or because it was dead.")
      .example(null),
    lost: count(0).description("How many events were deleted from the log before it was given them."),
    previous_until: nullable(time("2026-02-01T12:00:00.000Z"))
      .description("Until when its previous secret signs, too.")
      .example(null),
  },
  check: (values) => wrongEndpoint(values as unknown as { url: string; kinds: string[]; filter: EventFilter | null }),
  changed: async (tx) => {
    await assertFewEnough(tx);
    await tx.signal("events.wanted", {});
  },
  search: ["url"],
  derivedFilters: {
    disabled: {
      schema: Joi.boolean().description("Whether it is paused.").example(false),
      where: "(t.disabled_at IS NOT NULL) = ?",
    },
  },
  sorts: ["-created_at", "url"],
  exampleId: exampleIds.webhook,
};

function wrongEndpoint({
  url,
  kinds,
  filter,
}: {
  readonly url: string;
  readonly kinds: readonly string[];
  readonly filter: EventFilter | null;
}): FieldText | undefined {
  const problem = problemOfUrl(url, "own network");
  if (problem) return { field: "url", text: problem };
  const topics = kinds.includes(everyKind) ? eventTopics : (kinds as Topic[]);
  const lacks = topics.every((topic) => !(filter && filter.field in eventKinds[topic].fields));
  return filter && lacks
    ? { field: "filter", text: "None of these kinds has the field {{name}}", values: { name: filter.field } }
    : undefined;
}

/** @throws CONFLICT */
async function assertFewEnough(tx: Tx): Promise<void> {
  const [{ n } = { n: 0 }] = await tx.query<{ n: number }>("SELECT count(*) AS n FROM event_endpoints");
  if (n > endpointsMax)
    throw new DomainError("CONFLICT", "There can be at most {{count}} event endpoints. Delete one first.", {
      values: { count: endpointsMax },
    });
}
