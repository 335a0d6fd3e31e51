import { exampleIds } from "#shared/contracts/examples.ts";
import { id, line, object } from "#shared/contracts/fields.ts";
import { purchaseLimits } from "#shared/contracts/views.ts";
import { clearPurchases, purchaseLimits as limitsOf } from "#shared/domain/money/payments/purchase-bounds.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";

const params = object({ id: id(exampleIds.ada) });

export const purchaseLimitsRoutes = (): AdminRoute[] => [
  adminRead({
    tag: "Users",
    id: "getPurchaseLimits",
    method: "get",
    path: "/users/:id/purchase-limits",
    summary: "Get a user's purchase limits",
    description: "Says what keeps the user from buying by the settings, and until when.",
    extension: true,
    permission: "orders.read",
    params,
    response: purchaseLimits,
    handler: (call) => limitsOf(call.params.id),
  }),
  adminWrite({
    tag: "Users",
    id: "clearPurchaseLimits",
    method: "post",
    path: "/users/:id/clear-purchase-limits",
    summary: "Lift a user's purchase limits",
    description:
      "Refunds, purchases, and bought coins of before no longer count for the settings that bound purchases and hold coins.",
    extension: true,
    permission: "orders.write",
    params,
    body: object({ reason: line(1, 200, "The bank took its chargeback back") }).meta({
      name: "ClearPurchaseLimitsBody",
    }),
    response: purchaseLimits,
    audit: { action: "user.clear_purchases", target: (call) => ({ type: "user", id: call.params.id }) },
    handler: (call) => clearPurchases(call.caller, call.params.id, call.body.reason),
  }),
];
