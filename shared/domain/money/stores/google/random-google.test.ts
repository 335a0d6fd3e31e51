import { expect } from "chai";
import fc from "fast-check";
import { query } from "#shared/db/query.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { acknowledgePurchase } from "./acknowledge.ts";
import { lookAtProduct } from "./look-at-product.ts";
import { lookAtVoided, pollVoided } from "./look-at-voided.ts";

const steps = [
  "present",
  "steal",
  "notice",
  "complete",
  "refund",
  "voided",
  "poll",
  "acknowledge",
  "fail",
  "garble",
] as const;
type Step = (typeof steps)[number];

const story = fc.record({
  pending: fc.boolean(),
  named: fc.boolean(),
  steps: fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 14 }),
});

describe("coins of Google Play in any order", () => {
  useService();
  const play = useGooglePlay();
  let productId: string;
  before(async () => {
    productId = await play.coinProduct(97);
  });

  it("are credited once and debited once, whatever is repeated, lost, or reported late", async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(story, async ({ pending, named, steps: told }) => {
        const [user, thief] = await Promise.all([buildUser(), buildUser()]);
        const token = play.fake.buy({ productId, pending, account: named ? user.id : undefined });
        const orderId = play.fake.products.get(token)!.shown.orderId!;
        const order = play.fake.orders.get(orderId)!;
        const act: Record<Step, () => unknown> = {
          present: () => play.present(user, productId, token),
          // No one else may present what names its buyer.
          steal: () => (named ? play.present(thief, productId, token) : undefined),
          notice: () => lookAtProduct(token),
          complete: () => order.state === "PENDING" && play.fake.complete(token),
          refund: () => order.state === "PROCESSED" && play.fake.refund(orderId),
          voided: () => lookAtVoided(token, orderId),
          poll: () => pollVoided(),
          acknowledge: () => acknowledgePurchase(orderId),
          fail: () => play.fake.trouble("fail"),
          garble: () => play.fake.trouble("garble"),
        };
        for (let at = 0; at < told.length; at += 3)
          await Promise.all(told.slice(at, at + 3).map((step) => outcomeOf(Promise.resolve().then(act[step]))));

        // In the end Google answers, and the app comes back.
        for (const trouble of ["fail", "garble"] as const) play.fake.trouble(trouble, 0);
        await outcomeOf(play.present(user, productId, token));
        await lookAtVoided(token, orderId);
        const isPaid = order.state === "PROCESSED";
        expect(await play.coinsOf(user)).to.equal(isPaid ? 97 : 0);
        expect(await play.coinsOf(thief)).to.equal(0);
        await acknowledgePurchase(orderId);
        if (isPaid) expect(play.fake.products.get(token)!.isConsumed).to.equal(true);
        const orders = await query<{ id: string }>("SELECT id FROM payment_orders WHERE user_id = $1", [user.id]);
        expect(orders.length).to.be.at.most(1);
        expect(await differencesOf(user.id, ...orders.map(({ id }) => id))).to.deep.equal([]);
      }),
      { numRuns: 60, includeErrorInReport: true },
    );
  });
});
