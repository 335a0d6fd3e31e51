import { exampleIds } from "#shared/contracts/examples.ts";
import { extend, id, line, object, optional } from "#shared/contracts/fields.ts";
import { orderRecords } from "#shared/contracts/views.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import { idSchema } from "#shared/domain/base/managed/managed-resource.ts";
import { managedOrders } from "#shared/domain/money/payments/managed-orders.ts";
import { orderRecords as recordsOf } from "#shared/domain/money/payments/order-records.queries.ts";
import { requestRefund } from "#shared/domain/money/payments/request-refund.ts";
import { closeFinding } from "#shared/domain/money/reconciliation/findings.ts";
import { managedFindings } from "#shared/domain/money/reconciliation/managed-findings.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { managedList, managedReads, managedRecord } from "../../managed-routes.ts";

const tag = "Orders";
const params = object({ id: id(exampleIds.coinOrder) });
const orderDetails = extend(managedRecord(managedOrders), orderRecords).meta({ name: "OrderDetails" });

const detailsOf = async (orderId: string) => ({
  ...(await getManaged(managedOrders, orderId)),
  ...(await recordsOf(orderId)),
});

export const ordersRoutes = (): AdminRoute[] => [
  managedList(managedOrders, tag),
  ...managedReads(managedFindings, tag),
  adminWrite({
    tag,
    id: "closePaymentFinding",
    method: "post",
    path: "/payment-findings/:id/close",
    summary: "Close a finding",
    description:
      "Notes that a difference between our books and a provider's was dealt with. It stays closed if a later reconciliation finds it again.",
    extension: true,
    permission: "orders.write",
    params: object({ id: idSchema(managedFindings) }),
    body: object({ reason: line(1, 200, "Refunded by hand") }).meta({ name: "CloseFindingBody" }),
    response: managedRecord(managedFindings),
    errors: ["CONFLICT"],
    audit: {
      action: "payment_finding.close",
      target: ({ params }) => ({ type: "payment_finding", id: String(params.id) }),
    },
    handler: async ({ caller, params, body }) => {
      await closeFinding(caller, String(params.id), body.reason);
      return getManaged(managedFindings, params.id);
    },
  }),
  adminRead({
    tag,
    id: "getOrder",
    method: "get",
    path: "/orders/:id",
    summary: "Get an order",
    description: "Returns the order with its payments, refunds, and the webhooks of its provider.",
    extension: true,
    permission: "orders.read",
    params,
    response: orderDetails,
    handler: (call) => detailsOf(call.params.id),
  }),
  adminWrite({
    tag,
    id: "refundOrder",
    method: "post",
    path: "/orders/:id/refund",
    summary: "Refund an order",
    description:
      "Refunds what is left of the payment through its provider. What it bought ends with the refund: coins or the money of a deposit are taken back, and what the wallet no longer holds becomes the user's debt, which their next purchases pay first. While the provider's answer is unknown, the request in `refund_requests` is `pending` and is asked again; it is never refunded twice.",
    extension: true,
    permission: "orders.write",
    idempotent: true,
    params,
    body: object({
      reason: line(1, 200, "Bought by mistake"),
      payment_id: optional(
        id(exampleIds.coinOrder).description(
          "Another payment of the order, such as one too many. Default: the one that paid it.",
        ),
      ),
    }).meta({ name: "RefundOrderBody" }),
    response: orderDetails,
    errors: ["CONFLICT"],
    audit: { action: "order.refund", target: (call) => ({ type: "order", id: call.params.id }) },
    handler: async ({ caller, params: { id }, body, idempotency }) => {
      await requestRefund(caller, id, body, idempotency);
      return detailsOf(id);
    },
  }),
];
