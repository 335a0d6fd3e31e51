import { buildPayout, makeSeller } from "#shared/testing/payouts.ts";
import { agencies } from "./agency-rows.ts";
import { anybody, id, type Outcomes, onlyOwner, refused, row, type SocialMatrix } from "./social-rows.ts";

/** The member is a seller. */
const onlyMember: Outcomes = ["FORBIDDEN", "FORBIDDEN", "ok", "FORBIDDEN"];

/** What is for sale, purchases at stores, subscriptions, earnings, and agencies. */
export const stores: SocialMatrix = {
  ...agencies,
  "get /wallet/transactions": anybody(),
  "get /earnings": anybody(),
  "get /earnings/movements": anybody(),
  "get /earnings/progress": anybody(),
  "get /earnings/runs": anybody(),
  "get /earnings/statements/:period": anybody(() => ({ params: { period: "2026-01" } })),
  "get /earnings/statements/heads": anybody(),
  "post /earnings/exchange": refused("INSUFFICIENT_BALANCE", () => ({ body: { amount: 1 } })),
  "get /payouts": anybody(),
  "get /payouts/methods": anybody(),
  "post /payouts": refused("KYC_REQUIRED", () => ({ body: { amount: 1, method: { kind: "upi", vpa: "ada@okaxis" } } })),
  "get /payouts/:id": row(
    onlyOwner,
    id(({ owner }) => buildPayout(owner)),
  ),
  "post /payouts/webhook/:provider": refused("PAYMENT_SIGNATURE_INVALID", () => ({ params: { provider: "sandbox" } })),
  "get /sellers/me": refused("NOT_FOUND"),
  "get /sellers/me/transfers": anybody(),
  "get /sellers/me/statements/:period": row(
    ["NOT_FOUND", "NOT_FOUND", "ok", "NOT_FOUND"],
    async ({ member }, caller) => {
      if (caller === "member") await makeSeller(member, 10);
      return { params: { period: "2026-01" } };
    },
  ),
  "post /sellers/me/orders": refused("FORBIDDEN", async (scene) => ({
    body: { package_id: await scene.coinPackage() },
  })),
  "post /sellers/me/transfers": row(onlyMember, async ({ owner, member }, caller) => {
    if (caller === "member") await makeSeller(member, 10);
    return { body: { user_id: owner.id, coins: 1 } };
  }),
  "get /kyc": anybody(),
  "post /kyc": anybody(),
  "post /kyc/webhook/:provider": refused("PAYMENT_SIGNATURE_INVALID", () => ({ params: { provider: "sandbox" } })),
  "get /coin-packages": anybody(),
  "get /store/vip-plans": anybody(),
  "get /payments/orders": anybody(),
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
