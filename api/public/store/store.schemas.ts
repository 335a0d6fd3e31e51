import { type Infer, id, integer, object, optional } from "#shared/contracts/fields.ts";

export const frameParams = object({ id: id() });
export type FrameParams = Infer<typeof frameParams>;

export const purchaseBody = object({
  expected_price: optional(
    integer(1, 1_000_000_000, 300).description(
      "Extension: CONFLICT when the frame costs another number of coins by now.",
    ),
  ),
});
export type PurchaseBody = Infer<typeof purchaseBody>;

export const planParams = object({ planId: id() });
export type PlanParams = Infer<typeof planParams>;
