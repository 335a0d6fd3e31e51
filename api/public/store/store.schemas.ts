import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, object, optional } from "#shared/contracts/fields.ts";

export const frameParams = object({ id: id(exampleIds.frame) });

export const purchaseFrameBody = object({
  expected_price: optional(
    integer(1, 1_000_000_000, 300).description(
      "An extension: the price you showed the user, in coins. CONFLICT if it has changed.",
    ),
  ),
}).meta({ name: "PurchaseFrameBody" });

export const planParams = object({ planId: id(exampleIds.vipPlan) });
