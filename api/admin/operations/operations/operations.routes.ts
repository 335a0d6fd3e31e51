import { listOf, pageOf } from "#shared/contracts/fields.ts";
import { deadEvent, deadJob, health } from "#shared/contracts/views.ts";
import { listDeadJobs } from "#shared/db/jobs.ts";
import { listDeadLetters } from "#shared/db/outbox-failures.ts";
import { setMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { measureHealth } from "#shared/domain/operations/health/health.ts";
import { retryDeadEvent, retryDeadJob } from "#shared/domain/operations/health/retry-dead-letters.ts";
import { adminRead, adminWrite } from "../../../http/admin-route.ts";
import type { Route } from "../../../http/route.ts";
import * as schemas from "./operations.schemas.ts";

const deadLetterRoutes = (): Route[] => [
  adminRead({
    tag: "Operations",
    id: "listDeadJobs",
    method: "get",
    path: "/health/dead-jobs",
    summary: "List dead-lettered jobs",
    description: "Returns the jobs that failed too often, the newest first.",
    extension: true,
    permission: "health.read",
    query: schemas.deadJobsQuery,
    response: pageOf(deadJob),
    handler: ({ query }) => listDeadJobs(query),
  }),
  adminWrite({
    tag: "Operations",
    id: "retryDeadJob",
    method: "post",
    path: "/health/dead-jobs/:id/retry",
    summary: "Retry a dead-lettered job",
    description: "Enqueues it again. If jobs of this kind are exclusive and one is queued, no second one is added.",
    extension: true,
    permission: "health.write",
    params: schemas.deadJobParams,
    response: schemas.retriedJob,
    errors: ["CONFLICT"],
    audit: { action: "dead_job.retry", target: ({ params }) => ({ type: "dead_job", id: params.id }) },
    handler: async ({ caller, params }) => {
      await retryDeadJob(caller, params.id);
      return { id: params.id };
    },
  }),
  adminRead({
    tag: "Operations",
    id: "listDeadEvents",
    method: "get",
    path: "/health/dead-events",
    summary: "List dead-lettered domain events",
    description: "Returns the domain events that could not be delivered, the newest first, without their payloads.",
    extension: true,
    permission: "health.read",
    query: schemas.deadEventsQuery,
    response: listOf(deadEvent),
    handler: async ({ query }) => (await listDeadLetters(query)).map(({ payload, ...letter }) => letter),
  }),
  adminWrite({
    tag: "Operations",
    id: "retryDeadEvent",
    method: "post",
    path: "/health/dead-events/:id/retry",
    summary: "Retry a domain event",
    extension: true,
    permission: "health.write",
    params: schemas.deadEventParams,
    response: schemas.retriedEvent,
    audit: { action: "dead_event.retry", target: ({ params }) => ({ type: "dead_event", id: String(params.id) }) },
    handler: async ({ caller, params }) => {
      await retryDeadEvent(caller, params.id);
      return { id: params.id };
    },
  }),
];

/** What keeps the service running. */
export const operationsRoutes = (): Route[] => [
  adminRead({
    tag: "Operations",
    id: "getHealth",
    method: "get",
    path: "/health",
    summary: "Get the system health",
    description: "Measures each part now, for at most 2 seconds.",
    permission: "health.read",
    response: health,
    handler: () => measureHealth(),
  }),
  ...deadLetterRoutes(),
  adminWrite({
    tag: "Operations",
    id: "setMaintenance",
    method: "post",
    path: "/maintenance",
    summary: "Turn maintenance on or off",
    description:
      "During maintenance, requests of users fail with 503 MAINTENANCE, except `GET /config/public`, `POST /auth/logout`, and webhooks. It takes effect in all processes within 2 seconds.",
    permission: "system.maintenance",
    body: schemas.maintenanceBody,
    response: schemas.maintenance,
    audit: {
      action: "setting.change",
      target: () => ["maintenance_mode", "maintenance_message"].map((id) => ({ type: "setting", id })),
    },
    handler: ({ caller, body: { enabled, message = "" } }) => setMaintenance(caller, { enabled, message }),
  }),
];
