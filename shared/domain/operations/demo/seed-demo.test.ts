import "#shared/testing/access/access-tokens.ts";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { login } from "#shared/domain/identity/accounts/login.ts";
import { listFriends } from "#shared/domain/identity/relations/relations.queries.ts";
import { listGifts } from "#shared/domain/money/gifts/gifts.queries.ts";
import { activeCampaigns } from "#shared/domain/social/campaigns/campaigns.queries.ts";
import { listConversations } from "#shared/domain/social/conversations/conversations.queries.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { freeDemoNames } from "#shared/testing/demo-data.ts";
import { walletBalance } from "#shared/testing/sales.ts";
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
import { cast } from "./world/cast.ts";

const names = demoPeople.map(({ username }) => username);

describe("seedDemo", () => {
  useDatabase();
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
