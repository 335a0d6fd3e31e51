import { query } from "#shared/db/query.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { configureGooglePlay, type GooglePlaySetup } from "#shared/domain/money/stores/google/google.config.ts";
import { lookAtVoided } from "#shared/domain/money/stores/google/look-at-voided.ts";
import { presentGooglePurchase } from "#shared/domain/money/stores/google/present-purchase.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage, buildPlan, buildProduct } from "#shared/testing/sales.ts";
import { FakeGooglePlay } from "./fake-google-play.ts";

/** Timeout of calls to the fake, milliseconds. Generous, because the machine may be busy. */
const patienceMs = 15_000;

/** Sells at a fake Google Play for the tests of a `describe`, as in production: license testers buy nothing. */
export function useGooglePlay() {
  let fake: FakeGooglePlay;
  const configure = (changes: Partial<GooglePlaySetup> = {}) =>
    configureGooglePlay({ ...fake.app, production: true, timeoutMs: patienceMs, ...changes });
  before(async () => {
    fake = await FakeGooglePlay.start();
  });
  beforeEach(() => configure());
  after(async () => {
    configureGooglePlay(undefined);
    await fake.stop();
  });
  return {
    get fake() {
      return fake;
    },
    configure,
    /** Makes a call without a response from Google. */
    async unanswered<T>(call: () => Promise<T>): Promise<T> {
      configure({ timeoutMs: 200 });
      return call().finally(() => configure());
    },
    /** Sells coins as a product. Returns its ID at Google. */
    async coinProduct(coins = 100): Promise<string> {
      const { id } = await buildPackage({ coins });
      return buildProduct({ coin_package_id: id }, { store: "google" });
    },
    /** Sells a plan as a subscription. Returns its ID at Google, and the plan's. */
    async vipProduct(): Promise<{ productId: string; planId: string }> {
      const { id: planId } = await buildPlan();
      return { productId: await buildProduct({ vip_plan_id: planId }, { store: "google" }), planId };
    },
    present: (user: BuiltUser, product_id: string, purchase_token: string) =>
      presentGooglePurchase(callerOf(user), { product_id, purchase_token }),
    /** Looks at a voided order, as its notice has us do. */
    look: lookAtVoided,
    /** Returns a user's coins, less their debt. */
    async coinsOf(user: BuiltUser): Promise<number> {
      const { balance, debt } = await getWallet(user.id);
      return balance - debt;
    },
    /** Returns the plans of a user's running VIP. */
    async vipOf(user: BuiltUser): Promise<string[]> {
      const rows = await query<{ plan_id: string }>(
        `SELECT DISTINCT plan_id FROM vip_periods
         WHERE user_id = $1 AND starts_at <= now() AND ends_at > now() AND (ended_at IS NULL OR ended_at > now())`,
        [user.id],
      );
      return rows.map(({ plan_id }) => plan_id);
    },
  };
}
