import { eventTopics, kindOf } from "#shared/contracts/event-data.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  extend,
  id,
  line,
  listOf,
  object,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  plainTime,
} from "#shared/contracts/fields.ts";
import { eventDelivery, eventKindView, eventReplay, eventSinkRecord, eventTest } from "#shared/contracts/views.ts";
import { createSchema } from "#shared/domain/base/managed/managed-resource.ts";
import {
  createEventEndpoint,
  listEventDeliveries,
  overlapHours,
  pauseEventEndpoint,
  replayEvents,
  resendEventDelivery,
  rotateEventSecret,
  testEventEndpoint,
} from "#shared/domain/operations/events/endpoints.ts";
import { managedEventEndpoints } from "#shared/domain/operations/events/managed-endpoints.ts";
import { listSinks, replayToSink } from "#shared/domain/operations/sinks/sinks.queries.ts";
import { describedKind } from "../../../docs/event-kinds.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { managedChanges, managedRecord } from "../../managed-routes.ts";

const tag = "Event endpoints";
const permission = "event_endpoints.write" as const;
const params = object({ id: id(exampleIds.webhook) });
const endpoint = managedRecord(managedEventEndpoints);
const withSecret = extend(endpoint, {
  secret: line(1, 100, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD").description("Signs what is sent. Shown only here."),
}).meta({ name: "EventEndpointWithSecret" });
const targetOf = (call: { readonly params: { readonly id: string } }) => ({
  type: "event_endpoint",
  id: call.params.id,
});

const pausing = (verb: "pause" | "resume", description: string): AdminRoute =>
  adminWrite({
    tag,
    id: `${verb}EventEndpoint`,
    method: "post",
    path: `/event-endpoints/:id/${verb}`,
    summary: `${verb === "pause" ? "Pause" : "Resume"} an event endpoint`,
    description,
    extension: true,
    permission,
    params,
    response: endpoint,
    errors: ["CONFLICT"],
    audit: { action: `event_endpoint.${verb}`, target: targetOf },
    handler: ({ caller, params: { id: endpointId } }) => pauseEventEndpoint(caller, endpointId, verb === "pause"),
  });

const createRoute = adminWrite({
  tag,
  id: "createEventEndpoint",
  method: "post",
  path: "/event-endpoints",
  summary: "Create an event endpoint",
  description:
    "Has your server receive what happens from now on. Each request is signed as the Standard Webhooks specification says, and repeated for more than a day until it is answered with 2xx. The secret is only in this response.",
  extension: true,
  permission,
  body: createSchema(managedEventEndpoints).meta({ name: "CreateEventEndpointBody" }),
  response: withSecret,
  status: 201,
  errors: ["CONFLICT"],
  audit: { action: "event_endpoint.create", target: () => ({ type: "event_endpoint" }) },
  handler: ({ caller, body }) => createEventEndpoint(caller, body),
});

const deliveryRoutes = (): AdminRoute[] => [
  adminRead({
    tag,
    id: "listEventDeliveries",
    method: "get",
    path: "/event-endpoints/:id/deliveries",
    summary: "List an event endpoint's deliveries",
    description:
      "Returns what was sent to it, and how it was answered, the newest first. Deliveries are kept for 7 days.",
    extension: true,
    permission: "event_endpoints.read",
    params,
    query: object({
      ...pageQuery,
      status: optional(oneOf("pending", "delivered", "failed")),
      type: optional(oneOf(...eventTopics)),
    }),
    response: pageOf(eventDelivery),
    handler: ({ params: { id: endpointId }, query: { page, limit, ...filter } }) =>
      listEventDeliveries(endpointId, filter, { page, limit }),
  }),
  adminWrite({
    tag,
    id: "resendEventDelivery",
    method: "post",
    path: "/event-endpoints/:id/deliveries/:deliveryId/resend",
    summary: "Resend a delivery",
    description: "Sends a delivery again, with the same ID and payload and a new signature.",
    extension: true,
    permission,
    params: object({ id: id(exampleIds.webhook), deliveryId: id(exampleIds.webhookDelivery) }),
    response: eventDelivery,
    errors: ["CONFLICT"],
    audit: { action: "event_endpoint.resend", target: targetOf },
    handler: ({ caller, params: at }) => resendEventDelivery(caller, at.id, at.deliveryId),
  }),
];

/** How the operator's servers hear of what happens. */
export const eventsRoutes = (): AdminRoute[] => [
  adminRead({
    tag,
    id: "listEventKinds",
    method: "get",
    path: "/event-kinds",
    summary: "List kinds of events",
    description:
      "Returns every kind of event that endpoints and sinks can receive, with the schema and an example of its body.",
    extension: true,
    permission: "event_endpoints.read",
    response: listOf(eventKindView).meta({ name: "EventKindList" }),
    handler: async () =>
      eventTopics.map((kind) => {
        const { version, summary, key } = kindOf(kind);
        return { kind, version, summary, key, ...describedKind(kind) };
      }),
  }),
  createRoute,
  ...managedChanges(managedEventEndpoints, tag),
  adminWrite({
    tag,
    id: "rotateEventSecret",
    method: "post",
    path: "/event-endpoints/:id/rotate-secret",
    summary: "Rotate an event endpoint's secret",
    description: `Returns a new secret. For ${overlapHours} hours, requests have the signatures of both secrets, separated by a space; a second rotation ends that.`,
    extension: true,
    permission,
    params,
    response: withSecret,
    audit: { action: "event_endpoint.rotate_secret", target: targetOf },
    handler: ({ caller, params: { id: endpointId } }) => rotateEventSecret(caller, endpointId),
  }),
  pausing("pause", "Nothing is sent to it until it is resumed."),
  pausing("resume", "It gets what happened meanwhile, as far as the log reaches: see the setting `event_log_days`."),
  adminWrite({
    tag,
    id: "replayEvents",
    method: "post",
    path: "/event-endpoints/:id/replay",
    summary: "Replay events",
    description:
      "Sends the events since a time again, with the same IDs, and goes on from there. It reaches as far back as the log.",
    extension: true,
    permission,
    params,
    body: object({ from: plainTime("2026-01-31T00:00:00.000Z") }).meta({ name: "ReplayEventsBody" }),
    response: eventReplay,
    audit: { action: "event_endpoint.replay", target: targetOf },
    handler: ({ caller, params: { id: endpointId }, body }) => replayEvents(caller, endpointId, body.from),
  }),
  adminWrite({
    tag,
    id: "testEventEndpoint",
    method: "post",
    path: "/event-endpoints/:id/test",
    summary: "Test an event endpoint",
    description: "Sends a body of the type `test` now, and returns how it was answered.",
    extension: true,
    permission,
    params,
    response: eventTest,
    audit: { action: "event_endpoint.test", target: targetOf },
    handler: ({ caller, params: { id: endpointId } }) => testEventEndpoint(caller, endpointId),
  }),
  ...deliveryRoutes(),
  adminRead({
    tag,
    id: "listEventSinks",
    method: "get",
    path: "/event-sinks",
    summary: "List event sinks",
    description: "Returns where all events are written, by the variable `EVENT_SINKS`, and how far each is.",
    extension: true,
    permission: "event_endpoints.read",
    response: listOf(eventSinkRecord).meta({ name: "EventSinkList" }),
    handler: () => listSinks(),
  }),
  adminWrite({
    tag,
    id: "replayToSink",
    method: "post",
    path: "/event-sinks/:id/replay",
    summary: "Replay events to a sink",
    description: "Writes the events since a time again, and goes on from there. It reaches as far back as the log.",
    extension: true,
    permission,
    params,
    body: object({ from: plainTime("2026-01-31T00:00:00.000Z") }).meta({ name: "ReplayToSinkBody" }),
    response: eventReplay,
    audit: { action: "event_sink.replay", target: (call) => ({ type: "event_sink", id: call.params.id }) },
    handler: ({ caller, params: { id: sinkId }, body }) => replayToSink(caller, sinkId, body.from),
  }),
];
