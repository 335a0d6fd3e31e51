import { exampleIds } from "#shared/contracts/examples.ts";
import { count, id, listOf, object, oneOf, optional, plainTime } from "#shared/contracts/fields.ts";
import { countryCode } from "#shared/domain/identity/users/country-code.ts";
import {
  aheadMaxDays,
  countAudience,
  createBroadcast,
  stopBroadcast,
} from "#shared/domain/operations/broadcasts/create-broadcast.ts";
import {
  audiences,
  broadcastBody,
  broadcastTitle,
  managedBroadcasts,
} from "#shared/domain/operations/broadcasts/managed-broadcasts.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Notifications";
const usersMax = 1000;
const broadcast = managedRecord(managedBroadcasts);

const countryOfAudience = () =>
  optional(countryCode().description("Required for the audience `country`, not allowed for others."));

const body = object({
  title: broadcastTitle(),
  body: broadcastBody(),
  audience: oneOf(...audiences),
  country: countryOfAudience(),
  user_ids: optional(
    listOf(id(exampleIds.ada))
      .min(1)
      .max(usersMax)
      .description("Required for the audience `user_ids`, not allowed for others. Unknown users are left out."),
  ),
  scheduled_at: optional(
    plainTime("2026-12-24T18:00:00.000Z").description(
      `In the future, at most ${aheadMaxDays} days ahead. Default: now.`,
    ),
  ),
})
  .example({
    title: "Diwali in Hubbub",
    body: "Join the festival rooms tonight at 8.",
    audience: "country",
    country: "IN",
  })
  .meta({ name: "BroadcastBody" });

const audienceQuery = object({
  audience: oneOf("all", "vip", "country"),
  country: countryOfAudience(),
}).example({ audience: "country", country: "IN" });

export const notificationsRoutes = (): AdminRoute[] => [
  adminRead({
    tag,
    id: "getAudience",
    method: "get",
    path: "/notifications/audience",
    summary: "Count an audience",
    description: "Returns how many users a broadcast would notify now.",
    extension: true,
    permission: "notifications.read",
    query: audienceQuery,
    response: object({ recipients: count(1200) }).meta({ name: "AudienceSize" }),
    handler: async ({ query }) => ({ recipients: await countAudience(query) }),
  }),
  ...managedReads(managedBroadcasts, tag),
  adminWrite({
    tag,
    id: "createBroadcast",
    method: "post",
    path: "/notifications/broadcast",
    summary: "Create a broadcast",
    description:
      "Notifies many users, immediately or at a scheduled time: all users, those with an active VIP plan, those of a country, or selected users. A background job sends it in batches; `notified` of `recipients` is its progress. Each user is notified once. Suspended and deleted accounts are left out, and so are users who register after sending began.",
    permission: "notifications.write",
    idempotent: true,
    body,
    response: broadcast,
    status: 201,
    audit: { action: "broadcast.create", target: () => ({ type: "broadcast" }) },
    handler: ({ caller, body, idempotency }) => createBroadcast(caller, body, idempotency),
  }),
  adminWrite({
    tag,
    id: "stopBroadcast",
    method: "post",
    path: "/notifications/:id/stop",
    summary: "Stop a broadcast",
    description: "Stops it before its next batch. Users who were already notified keep the notification.",
    extension: true,
    permission: "notifications.write",
    params: object({ id: id(exampleIds.broadcast) }),
    response: broadcast,
    errors: ["CONFLICT"],
    audit: { action: "broadcast.stop", target: (call) => ({ type: "broadcast", id: call.params.id }) },
    handler: (call) => stopBroadcast(call.caller, call.params.id),
  }),
];
