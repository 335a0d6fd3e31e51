import { anybody, id, onlyOwner, refused, row, type SocialMatrix } from "./social-rows.ts";

/** What is for sale, purchases at stores, and subscriptions. */
export const stores: SocialMatrix = {
  "get /wallet/transactions": anybody(),
  "get /coin-packages": anybody(),
  "get /store/vip-plans": anybody(),
  "get /payments/orders/:id/receipt": row(
    onlyOwner,
    id((scene) => scene.receiptOfOrder()),
  ),
  "post /payments/apple": refused("NOT_FOUND"),
  "post /payments/restore": refused("NOT_FOUND"),
  "post /payments/webhook/apple": refused("NOT_FOUND"),
  "get /subscriptions": anybody(),
  "post /subscriptions/:id/cancel": row(
    onlyOwner,
    id((scene) => scene.subscription()),
  ),
};
