import { exampleIds } from "#shared/contracts/examples.ts";
import { empty, id, listOf, object, pageOf, pageQuery, text } from "#shared/contracts/fields.ts";
import { newWebhook, webhook, webhookDelivery } from "#shared/contracts/views.ts";
import { failingDaysMax } from "#shared/domain/base/webhooks/sender.ts";
import { keptDays, listDeliveries, resendDelivery } from "#shared/domain/catalogue/webhooks/deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  webhooksMax,
} from "#shared/domain/catalogue/webhooks/webhooks.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("Webhooks", "user");
const params = object({ id: id(exampleIds.webhook) });
const extension = true;

/** How a reseller's server hears of orders. */
export const webhooksRoutes = (): Route[] => [
  route({
    id: "listWebhooks",
    method: "get",
    path: "/users/me/webhooks",
    summary: "List your webhooks",
    description: "Returns your webhooks, the newest first, without their secrets.",
    extension,
    response: listOf(webhook).meta({ name: "WebhookList" }),
    handler: ({ caller }) => listWebhooks(caller.userId),
  }),
  route({
    id: "createWebhook",
    method: "post",
    path: "/users/me/webhooks",
    summary: "Create a webhook",
    description: `Tells your server when the status of a catalogue order changes: \`order.updated\`, with the order's ID and status. Read the rest with \`GET /catalogue/orders/:id\`. Each request is signed as the Standard Webhooks specification says: the headers \`webhook-id\`, \`webhook-timestamp\`, and \`webhook-signature\`, \`v1,\` and the base64 of the HMAC-SHA256 of \`<id>.<timestamp>.<body>\`, with the key whose base64 follows \`whsec_\` in the secret. Reject timestamps older than 5 minutes, and ignore an ID that you have seen. Requests can arrive in any order. Answer with a status of 2xx within 10 s; otherwise, the request is repeated after 5 s, 5 and 30 minutes, and 2, 5, 10, and 10 hours. A webhook that fails for ${failingDaysMax} days, or that answers 410, is disabled. Redirects aren't followed, and private addresses aren't called. You can have ${webhooksMax} webhooks. The secret is only in this response.`,
    rateLimit: { points: 20, seconds: 3600, by: "user" },
    extension,
    body: object({ url: text(1, 500, "https://shop.example.com/hubbub") }).meta({ name: "CreateWebhookBody" }),
    response: newWebhook,
    status: 201,
    errors: ["CONFLICT"],
    handler: ({ caller, body }) => createWebhook(caller, body),
  }),
  route({
    id: "enableWebhook",
    method: "post",
    path: "/users/me/webhooks/:id/enable",
    blocks: "none",
    summary: "Enable a webhook",
    description: "Enables a disabled webhook. What happened meanwhile isn't sent, but failed deliveries can be resent.",
    extension,
    params,
    response: webhook,
    handler: ({ caller, params: { id: webhookId } }) => enableWebhook(caller, webhookId),
  }),
  route({
    id: "deleteWebhook",
    method: "delete",
    path: "/users/me/webhooks/:id",
    blocks: "none",
    summary: "Delete a webhook",
    description: "Deletes a webhook with its deliveries. Nothing more is sent to it.",
    extension,
    params,
    response: empty,
    handler: ({ caller, params: { id: webhookId } }) => deleteWebhook(caller, webhookId),
  }),
  route({
    id: "listWebhookDeliveries",
    method: "get",
    path: "/users/me/webhooks/:id/deliveries",
    blocks: "none",
    summary: "List a webhook's deliveries",
    description: `Returns what was sent to a webhook, and how it was answered, the newest first. Deliveries are kept for ${keptDays} days.`,
    extension,
    params,
    query: object(pageQuery),
    response: pageOf(webhookDelivery),
    handler: ({ caller, params: { id: webhookId }, query }) => listDeliveries(caller.userId, webhookId, query),
  }),
  route({
    id: "resendWebhookDelivery",
    method: "post",
    path: "/users/me/webhooks/:id/deliveries/:deliveryId/resend",
    blocks: "none",
    summary: "Resend a delivery",
    description: "Sends a delivery again, with the same ID and payload and a new signature.",
    rateLimit: { points: 60, seconds: 60, by: "user" },
    extension,
    params: object({ id: id(exampleIds.webhook), deliveryId: id(exampleIds.webhookDelivery) }),
    response: webhookDelivery,
    errors: ["CONFLICT"],
    handler: ({ caller, params: at }) => resendDelivery(caller, at.id, at.deliveryId),
  }),
];
