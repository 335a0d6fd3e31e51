import { id, input, integer } from "#shared/contracts/fields.ts";

export interface FrameParams {
  id: string;
}
export const frameParams = input<FrameParams>({ id: id().required() });

export interface PurchaseBody {
  expected_price?: number;
}
export const purchaseBody = input<PurchaseBody>({
  expected_price: integer(1, 1_000_000_000, 300).description(
    "Extension: CONFLICT when the frame costs another number of coins by now.",
  ),
});

export interface PlanParams {
  planId: string;
}
export const planParams = input<PlanParams>({ planId: id().required() });
