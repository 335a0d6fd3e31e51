import { anybody, id, onlyOwner, refused, row, type SocialMatrix } from "./social-rows.ts";

/** Purchases at stores, and subscriptions. */
export const stores: SocialMatrix = {
  "post /payments/apple": refused("NOT_FOUND"),
  "post /payments/restore": refused("NOT_FOUND"),
  "post /payments/webhook/apple": refused("NOT_FOUND"),
  "get /subscriptions": anybody(),
  "post /subscriptions/:id/cancel": row(
    onlyOwner,
    id((scene) => scene.subscription()),
  ),
};
