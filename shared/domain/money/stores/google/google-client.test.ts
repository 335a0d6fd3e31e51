import { expect } from "chai";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { FakeGooglePlay } from "#shared/testing/fakes/fake-google-play.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { GooglePlayClient } from "./google-client.ts";
import { minorUnitsOf } from "./google-shapes.ts";

describe("The client of Google Play", () => {
  let fake: FakeGooglePlay;
  let client: GooglePlayClient;
  const time = useClock();
  beforeEach(async () => {
    fake = await FakeGooglePlay.start();
    client = new GooglePlayClient(fake.app, 15_000);
  });
  afterEach(() => fake.stop());

  it("reads products, subscriptions, and orders with one access token", async () => {
    const coins = fake.buy({ productId: "coins_600", account: "ada" });
    const vip = fake.subscribe({ productId: "vip_month" });
    const { orderId } = fake.products.get(coins)!.shown;
    expect((await client.product(coins))?.purchaseStateContext.purchaseState).to.equal("PURCHASED");
    expect((await client.subscription(vip))?.lineItems[0]?.productId).to.equal("vip_month");
    expect((await client.order(orderId!))?.purchaseToken).to.equal(coins);
    expect(fake.tokens.given).to.equal(1);
  });

  it("asks for another access token shortly before the end of one, and after a rejected one", async () => {
    const token = fake.buy({ productId: "coins_600" });
    await client.product(token);
    time.forward(minutesMs(59) - 1000);
    await client.product(token);
    expect(fake.tokens.given).to.equal(1);
    time.forward(2000);
    await client.product(token);
    expect(fake.tokens.given).to.equal(2);
    fake.tokens.revokeAll();
    expect(await outcomeOf(client.product(token))).to.equal("ENGINE_UNAVAILABLE");
    expect(await client.product(token)).to.not.equal(undefined);
  });

  it("tells unknown, other apps', forgotten, and absurd tokens from trouble", async () => {
    const token = fake.buy({ productId: "coins_600" });
    fake.forgotten.add(token);
    const other = new GooglePlayClient({ ...fake.app, packageName: "com.example.other" }, 15_000);
    const mine = fake.buy({ productId: "coins_600" });
    expect(await other.product(mine)).to.equal(undefined);
    for (const wrong of [token, "unknown", "../orders/x", "a/b", "", "%2e%2e", "x".repeat(5000), "a\nb"]) {
      expect(await client.product(wrong), wrong.slice(0, 20)).to.equal(undefined);
      expect(await client.subscription(wrong), wrong.slice(0, 20)).to.equal(undefined);
    }
    for (const trouble of ["fail", "garble", "forbid"] as const) {
      fake.trouble(trouble);
      expect(await outcomeOf(client.product(mine)), trouble).to.equal("ENGINE_UNAVAILABLE");
    }
    fake.tokens.fail(1);
    fake.tokens.revokeAll();
    await outcomeOf(client.product(mine));
    expect(await outcomeOf(client.product(mine))).to.equal("ENGINE_UNAVAILABLE");
    fake.trouble("hang");
    expect(await outcomeOf(new GooglePlayClient(fake.app, 200).product(mine))).to.equal("ENGINE_UNAVAILABLE");
  });

  it("consumes once, acknowledges, cancels, and says when Google refuses", async () => {
    const coins = fake.buy({ productId: "coins_600" });
    expect(await client.consume("vip_month", coins)).to.equal(false);
    expect([await client.consume("coins_600", coins), await client.consume("coins_600", coins)]).to.deep.equal([
      true,
      false,
    ]);
    const vip = fake.subscribe({ productId: "vip_month" });
    expect([await client.acknowledge("vip_month", vip), await client.acknowledge("coins_600", vip)]).to.deep.equal([
      true,
      false,
    ]);
    expect([await client.cancel(vip), await client.cancel(vip)]).to.deep.equal([true, false]);
    expect((await client.subscription(vip))?.subscriptionState).to.equal("SUBSCRIPTION_STATE_CANCELED");
  });

  it("lists what was voided, page by page", async () => {
    fake.pageSize = 2;
    const ids = Array.from({ length: 5 }, () => fake.products.get(fake.buy({ productId: "coins" }))!.shown.orderId!);
    for (const id of ids) fake.refund(id, { reason: 7 });
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const listed = await client.voided(clock.now() - 60_000, page);
      seen.push(...listed.voidedPurchases.map(({ orderId }) => orderId!));
      page = listed.tokenPagination?.nextPageToken;
    } while (page);
    expect(seen).to.deep.equal(ids);
    expect((await client.voided(clock.now() + 60_000, undefined)).voidedPurchases).to.deep.equal([]);
  });

  it("is never called over plain http on another machine", () => {
    for (const baseUrl of ["http://androidpublisher.googleapis.com", "http://127.0.0.1.evil.example", "ftp://x"])
      expect(() => new GooglePlayClient({ ...fake.app, baseUrl }, 1000), baseUrl).to.throw("https");
  });

  it("reads Google's amounts in the smallest unit of their currency", () => {
    const amounts: [string, string, number, number][] = [
      ["USD", "1", 990_000_000, 199],
      ["INR", "0", 10_000_000, 1],
      ["JPY", "120", 0, 120],
      ["KWD", "0", 305_000_000, 305],
      ["EUR", "19", 990_000_000, 1999],
    ];
    for (const [currencyCode, units, nanos, minor] of amounts)
      expect(minorUnitsOf({ currencyCode, units, nanos }), currencyCode).to.equal(minor);
  });
});
