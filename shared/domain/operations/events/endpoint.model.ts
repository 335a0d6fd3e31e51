import { bigint, defaulted, defineModel, flag, json, nullable, text, texts, time } from "#shared/db/model.ts";
import { managedColumns } from "#shared/domain/base/managed/managed-resource.ts";

/** Which events an endpoint gets: those whose data have one of these values in this field. */
export interface EventFilter {
  readonly field: string;
  readonly values: readonly string[];
}

/** Where the operator's servers hear of what happens. */
export const EventEndpointModel = defineModel("event_endpoints", {
  ...managedColumns,
  url: text(),
  kinds: texts(),
  filter: nullable(json<EventFilter>()),
  ordered: flag(),
  secret_sealed: nullable(text()),
  previous_secret_sealed: nullable(text()),
  previous_until: nullable(time()),
  position: defaulted(bigint()),
  lost: defaulted(bigint()),
  failing_since: nullable(time()),
  disabled_at: nullable(time()),
});
