import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, listOf, object } from "#shared/contracts/fields.ts";
import { couponCode } from "#shared/contracts/views.ts";
import { createCoupons } from "#shared/domain/money/offers/coupons.ts";
import { type AdminRoute, adminWrite } from "../../../http/admin-route.ts";

export const offersRoutes = (): AdminRoute[] => [
  adminWrite({
    tag: "Store",
    id: "createCoupons",
    method: "post",
    path: "/offers/:id/coupons",
    summary: "Create coupons of an offer",
    description:
      "Creates coupons with codes that can't be guessed, and returns the codes. Each can be entered by one user. `POST /coupons` creates one with a code of your choice.",
    extension: true,
    permission: "coupons.write",
    params: object({ id: id(exampleIds.offer) }),
    body: object({ count: integer(1, 1000, 100) }).meta({ name: "CreateCouponsBody" }),
    response: object({ codes: listOf(couponCode()) }).meta({ name: "CouponCodes" }),
    status: 201,
    errors: ["CONFLICT"],
    audit: { action: "offer.create_coupons", target: (call) => ({ type: "offer", id: call.params.id }) },
    handler: async ({ caller, params, body }) => ({ codes: await createCoupons(caller, params.id, body.count) }),
  }),
];
