import "#shared/testing/access/access-tokens.ts";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { listFriends } from "#shared/domain/identity/relations/relations.queries.ts";
import { listGifts } from "#shared/domain/money/gifts/gifts.queries.ts";
import { withDemoStore } from "#shared/domain/money/stores/apple/demo-store.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { activeCampaigns } from "#shared/domain/social/campaigns/campaigns.queries.ts";
import { listConversations } from "#shared/domain/social/conversations/conversations.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { freeDemoNames } from "#shared/testing/demo-data.ts";
import { buildPackage, buildPlan, walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { demoCards, demoGateways, demoTopUps } from "./demo-catalogue.ts";
import {
  demoCampaigns,
  demoFrames,
  demoGifts,
  demoMessages,
  demoPeople,
  demoPlans,
  demoStickers,
} from "./demo-data.ts";
import { demoPicture } from "./demo-pictures.ts";
import { seedDemo } from "./seed-demo.ts";
import { seedPurchases } from "./seed-purchases.ts";
import { cast } from "./world/cast.ts";

const names = demoPeople.map(({ username }) => username);

describe("seedDemo", () => {
  // The pictures of the demo are at its address.
  useService();
  before("gives the demo people their names, should another test have taken them", freeDemoNames);

  it("creates two people who can log in, with coins, a room and posts each, however often it runs", async () => {
    const logins = await Promise.all([seedDemo(), seedDemo(), seedDemo()]);
    expect(logins[0]!.map(({ username }) => username)).to.deep.equal(names);
    expect(logins[1]).to.deep.equal(logins[0]);
    for (const { username, password } of logins[0]!) {
      const { user } = await login({ identifier: username, password }, { ip: "127.0.0.1", userAgent: "tests" });
      expect(await walletBalance(user.id)).to.equal(2000);
      const rooms = await query("SELECT status FROM rooms WHERE host_id = $1", [user.id]);
      expect(rooms).to.deep.equal([{ status: "open" }]);
      const { posts } = demoPeople.find((person) => person.username === username)!;
      expect(user).to.include({ followers_count: 1, following_count: 1 });
      expect((await listFriends(user.id, { page: 1, limit: 20 })).total).to.equal(1);
      expect(user.posts_count).to.equal(posts.length);
      const { items } = await listConversations(user.id, { page: 1, limit: 20 });
      expect(items.map(({ last_message }) => last_message?.body)).to.deep.equal([demoMessages.at(-1)?.body]);
    }
    expect(await seedDemo()).to.deep.equal(logins[0]);
  });

  it("lets a person buy at the demo's store once, if it is there and sells what is bought", async () => {
    const bought = () =>
      query<{ status: string; receipt: string }>(
        `SELECT o.status, string_agg(r.kind, ' ' ORDER BY r.id) AS receipt
         FROM users u JOIN payment_orders o ON o.user_id = u.id JOIN receipts r ON r.order_id = o.id
         WHERE u.username = 'joan' GROUP BY o.id ORDER BY o.id`,
      );
    // Nothing is seeded beside products of other tests.
    const [pack, plan] = [await buildPackage(), await buildPlan()];
    for (const [product_id, column, id] of [
      ["coins_pouch", "coin_package_id", pack.id],
      ["coins_handful", "coin_package_id", pack.id],
      ["vip_silver", "vip_plan_id", plan.id],
    ] as const)
      await query(
        `INSERT INTO store_products (id, store, product_id, ${column}) VALUES ($1, 'apple', $2, $3)
         ON CONFLICT (store, product_id) DO NOTHING`,
        [newId(), product_id, id],
      );
    await seedPurchases();
    configureStores(await withDemoStore({}, "development"));
    try {
      await query("UPDATE store_products SET retired_at = now() WHERE product_id = 'vip_silver'");
      await seedPurchases();
      expect(await bought()).to.deep.equal([]);

      await query("UPDATE store_products SET retired_at = NULL WHERE product_id = 'vip_silver'");
      await Promise.all([seedPurchases(), seedPurchases()]);
      expect(await bought()).to.deep.equal([
        { status: "paid", receipt: "receipt" },
        { status: "refunded", receipt: "receipt credit_note" },
        { status: "paid", receipt: "receipt" },
      ]);
    } finally {
      configureStores(await withDemoStore({}, "test"));
    }
  });

  it("shows only pictures that the service ships", () => {
    const pictures = [
      ...demoGifts.flatMap(({ gifts }) => gifts.map(({ name }) => demoPicture("gifts", name))),
      demoPicture("gifts", "sparkle", "json"),
      ...demoFrames.map(({ name }) => demoPicture("frames", name)),
      ...demoPlans.map(({ name }) => demoPicture("badges", name)),
      ...demoCampaigns.map(({ picture }) => demoPicture("events", picture)),
      ...demoStickers.flatMap(({ stickers }) => stickers.map((name) => demoPicture("stickers", name))),
      ...[...demoPeople.flatMap(({ posts }) => posts), ...cast].flatMap(({ picture }) =>
        picture ? [demoPicture("posts", picture)] : [],
      ),
      ...[...demoTopUps, ...demoCards].map(({ name }) => demoPicture("catalogue", name)),
      ...demoGateways.map(({ code }) => demoPicture("catalogue", code)),
    ];
    expect(pictures).to.have.length.above(40);
    const pathOf = (address: string) => new URL(`../../../../api/web${new URL(address).pathname}`, import.meta.url);
    expect(pictures.filter((address) => !existsSync(pathOf(address)))).to.deep.equal([]);
  });

  it("seeds the catalogues and campaigns once, and leaves existing ones unchanged", async () => {
    await query("DELETE FROM campaigns");
    await seedDemo();
    const counts = () =>
      queryOne(`SELECT (SELECT count(*) FROM gifts) AS gifts, (SELECT count(*) FROM gift_categories) AS categories,
        (SELECT count(*) FROM coin_packages) AS packages, (SELECT count(*) FROM frames) AS frames,
        (SELECT count(*) FROM vip_plans) AS plans, (SELECT count(*) FROM campaigns) AS campaigns`);
    const before = await counts();
    await seedDemo();
    expect(await counts()).to.deep.equal(before);
    expect((await listGifts()).length).to.be.greaterThan(0);
    expect((await activeCampaigns()).map(({ title }) => title)).to.include("New voices");
    for (const sold of ["packages", "frames", "plans"]) expect(before).to.have.property(sold).that.is.greaterThan(0);
  });
});
