import Joi from "joi";
import { catalogueOrderItem, catalogueOrderRecord } from "#shared/contracts/catalogue-admin-views.ts";
import { orderStatus } from "#shared/contracts/catalogue-order-views.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { flag, line, object, plainTime, id as userId, withDefault } from "#shared/contracts/fields.ts";
import { cancelByAdmin, completeByAdmin, retryByAdmin } from "#shared/domain/catalogue/orders/manage-orders.ts";
import {
  getOrderRecord,
  listOrderRecords,
  readOrderRecords,
} from "#shared/domain/catalogue/orders/order-records.queries.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../http/admin-route.ts";
import { listRoute } from "../list-route.ts";
import { ifMatchHeader, versionOf } from "../managed-routes.ts";
import { idParams, numberId } from "./catalogue.schemas.ts";

const tag = "Catalogue";
const permission = "catalogue_orders.write";
const headers = [ifMatchHeader];
const provider_checked = withDefault(
  flag(false).description(
    "Required if a provider has the order: you have checked there what became of it, and that it won't change.",
  ),
  false,
);
const auditOf = (verb: string) => ({
  action: `catalogue_order.${verb}`,
  target: (call: { readonly params: { readonly id: number } }) => ({
    type: "catalogue_order",
    id: String(call.params.id),
  }),
});
const once = "A call with `If-Match` fails with `CONFLICT` if the order was changed since that version.";

export const catalogueOrdersRoutes = (): AdminRoute[] => [
  listRoute({
    tag,
    id: "listCatalogueOrders",
    path: "/catalogue/orders",
    summary: "List catalogue orders",
    description: "Lists orders of top-ups and cards, without what the buyers entered.",
    permission: "catalogue_orders.read",
    filters: {
      status: orderStatus(),
      user_id: userId(exampleIds.ada),
      top_up_id: numberId(),
      card_id: numberId(),
      has_problem: Joi.boolean()
        .description("`true`: only orders whose outcome at the provider is unknown.")
        .example(true),
      from: plainTime("2026-01-01T00:00:00.000Z"),
      to: plainTime("2026-02-01T00:00:00.000Z").description("Exclusive."),
    },
    sorts: ["-created_at"],
    item: catalogueOrderItem,
    list: listOrderRecords,
    download: {
      fileName: "catalogue-orders",
      columns: [
        "id",
        "user_id",
        "top_up_id",
        "card_id",
        "service_id",
        "product_name",
        "service_name",
        "status",
        "reason",
        "payment",
        "currency",
        "total",
        "created_at",
        "completed_at",
      ],
      read: readOrderRecords,
    },
  }),
  adminRead({
    tag,
    id: "getCatalogueOrder",
    method: "get",
    path: "/catalogue/orders/:id",
    summary: "Get a catalogue order",
    permission: "catalogue_orders.read",
    params: idParams,
    response: catalogueOrderRecord,
    handler: ({ params }) => getOrderRecord(params.id),
  }),
  adminWrite({
    tag,
    id: "completeCatalogueOrder",
    method: "post",
    path: "/catalogue/orders/:id/complete",
    summary: "Complete a catalogue order",
    description: `Completes an open order. The reseller of a card can then see its code. ${once}`,
    permission,
    idempotent: true,
    headers,
    params: idParams,
    body: object({
      delivery: line(1, 500, "Sent to player 1234 5678.").description("What was delivered, for the reseller. No code."),
      provider_checked,
    }).meta({ name: "CompleteCatalogueOrderBody" }),
    response: catalogueOrderRecord,
    errors: ["CONFLICT"],
    audit: auditOf("complete"),
    handler: ({ caller, params, body, idempotency, headers: sent }) =>
      completeByAdmin(caller, params.id, body, { version: versionOf(sent["if-match"]), idempotency }),
  }),
  adminWrite({
    tag,
    id: "cancelCatalogueOrder",
    method: "post",
    path: "/catalogue/orders/:id/cancel",
    summary: "Cancel a catalogue order",
    description: `Cancels an open order. What it took goes back: the money of a prepaid order, the sale of a campaign, and the reserved code of a card. ${once}`,
    permission,
    idempotent: true,
    headers,
    params: idParams,
    body: object({
      reason: line(1, 500, "The player ID doesn't exist.").description("For the reseller."),
      provider_checked,
    }).meta({ name: "CancelCatalogueOrderBody" }),
    response: catalogueOrderRecord,
    errors: ["CONFLICT"],
    audit: auditOf("cancel"),
    handler: ({ caller, params, body, idempotency, headers: sent }) =>
      cancelByAdmin(caller, params.id, body, { version: versionOf(sent["if-match"]), idempotency }),
  }),
  adminWrite({
    tag,
    id: "retryCatalogueOrder",
    method: "post",
    path: "/catalogue/orders/:id/retry",
    summary: "Retry a catalogue order",
    description: `Asks the provider about an open order of a top-up now. An order that the provider has never received is sent to it; with the same key, so that it is delivered once. ${once}`,
    permission,
    idempotent: true,
    headers,
    params: idParams,
    response: catalogueOrderRecord,
    errors: ["CONFLICT"],
    audit: auditOf("retry"),
    handler: ({ caller, params, idempotency, headers: sent }) =>
      retryByAdmin(caller, params.id, { version: versionOf(sent["if-match"]), idempotency }),
  }),
];
