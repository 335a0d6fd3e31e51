import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, object, optional } from "#shared/contracts/fields.ts";
import { orderToPay } from "#shared/contracts/views.ts";
import { exampleOf, exampleWith } from "../../docs/example-of.ts";

export const frameParams = object({ id: id(exampleIds.frame) });

export const purchaseFrameBody = object({
  expected_price: optional(
    integer(1, 1_000_000_000, 300).description(
      "An extension: the price you showed the user, in coins. CONFLICT if it has changed.",
    ),
  ),
}).meta({ name: "PurchaseFrameBody" });

export const planParams = object({ planId: id(exampleIds.vipPlan) });

const { order, providerPayload } = exampleOf(orderToPay);
const vip = { kind: "vip", amount: 29_900, coins: 0, package_id: null, plan_id: exampleIds.vipPlan } as const;

/** The example with an order of VIP. */
export const vipOrderToPay = exampleWith(orderToPay, {
  order: { ...order, ...vip, id: exampleIds.vipOrder },
  providerPayload: { ...providerPayload, amount: vip.amount, description: "Gold, 30 days" },
});
