import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { count, id, line, nullable, oneOf, text, time } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import { BroadcastModel } from "./broadcast.model.ts";

/** Whom a broadcast is for. */
export const audiences = ["all", "vip", "country", "user_ids"] as const;
export type Audience = (typeof audiences)[number];

const statuses = ["scheduled", "sending", "sent", "stopped"] as const;
export type BroadcastStatus = (typeof statuses)[number];

export const broadcastTitle = () => line(1, 100, "Diwali in Hubbub");
export const broadcastBody = () => text(1, 500, "Join the festival rooms tonight at 8.");

/** The broadcasts, which are written by commands of their own. */
export const managedBroadcasts: ManagedResource = {
  resource: "notifications",
  name: "broadcast",
  one: "a broadcast",
  many: "broadcasts",
  model: BroadcastModel,
  fields: {},
  defaults: {},
  shown: {
    title: broadcastTitle(),
    body: broadcastBody(),
    audience: oneOf(...audiences).example("country"),
    country: nullable(countryCode()).description("Null for other audiences."),
    status: oneOf(...statuses).example("sending"),
    scheduled_at: time(exampleTime(exampleIds.broadcast)),
    recipients: nullable(count(1200)).description("Users in the audience when sending began. Null before that."),
    notified: count(500).description("Users who have been notified so far."),
    created_by: id(exampleIds.admin),
    started_at: nullable(time(exampleTime(exampleIds.broadcast, 1))),
    ended_at: nullable(time(exampleTime(exampleIds.broadcast, 5)))
      .description("When all were notified, or the broadcast was stopped.")
      .example(null),
  },
  search: ["title", "body"],
  filters: { status: oneOf(...statuses), audience: oneOf(...audiences), created_by: id(exampleIds.admin) },
  hasPeriod: true,
  sorts: ["-created_at", "scheduled_at"],
  exampleId: exampleIds.broadcast,
};
