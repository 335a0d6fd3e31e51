import { expect } from "chai";
import { managedVipPlans } from "./managed-store.ts";

describe("VIP plans", () => {
  it("renew at least every three years, as Stripe demands", async () => {
    const wrong = async (renews: boolean, duration_days: number) =>
      (await managedVipPlans.check!({ renews, duration_days, price: 29_900, currency: "INR" }))?.field;
    expect(await wrong(true, 1092)).to.equal(undefined);
    expect(await wrong(true, 1093)).to.equal("duration_days");
    expect(await wrong(false, 3660)).to.equal(undefined);
  });
});
