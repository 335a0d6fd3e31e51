import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { id, integer, object, optional } from "#shared/contracts/fields.ts";
import { orderToPay } from "#shared/contracts/views.ts";
import { exampleOf, exampleWith } from "../../../docs/example-of.ts";

export const frameParams = object({ id: id(exampleIds.frame) });

export const purchaseFrameBody = object({
  expected_price: optional(
    integer(1, 1_000_000_000, 300).description(
      "Extension: the price that you showed the user, in coins. If it has changed, the error is `CONFLICT`.",
    ),
  ),
}).meta({ name: "PurchaseFrameBody" });

export const planParams = object({ planId: id(exampleIds.vipPlan) });

const vip = {
  id: exampleIds.vipOrder,
  kind: "vip",
  amount: 29_900,
  coins: 0,
  package_id: null,
  plan_id: exampleIds.vipPlan,
  offer: null,
  created_at: exampleTime(exampleIds.vipOrder),
} as const;

/** The example with an order of VIP. */
export const vipOrderToPay = exampleWith(orderToPay, () => {
  const { order, providerPayload } = exampleOf(orderToPay);
  return {
    order: { ...order, ...vip },
    providerPayload: { ...providerPayload, amount: vip.amount, description: "Gold, 30 days" },
  };
});
