import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { seedDemo } from "#shared/domain/operations/demo/seed-demo.ts";
import { cast } from "#shared/domain/operations/demo/world/cast.ts";
import { makeWorld } from "#shared/domain/operations/demo/world/make-world.ts";
import { createDatabase } from "#shared/testing/database.ts";
import "#shared/testing/fakes/sandbox-payments.ts";
import { useService } from "#shared/testing/service.ts";
import { spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";
import { createClient } from "../../client/client.ts";
import { Bots } from "./bots.ts";

describe("the demo people", function () {
  this.timeout(90_000);
  const service = useService();
  let folder: string;
  before("makes a folder, and their world", async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-bots-"));
    await seedDemo();
    expect(await makeWorld()).to.equal(true);
  });
  after(async () => {
    await stopServices();
    await rm(folder, { recursive: true, force: true });
  });

  it("walk, talk, sit, give, and play over the API, and leave when they are stopped", async () => {
    const count = (table: string) =>
      queryOne<{ count: number }>(`SELECT count(*) FROM ${table}`).then((row) => row!.count);
    const before = await count("gift_transactions");
    const bots = new Bots(service.url, { actMs: 20, loginMs: 0, gameMs: 60_000 });
    bots.start();
    try {
      await until("they talk", async () => (await count("room_messages")) > 3, 30_000);
      await until("they give", async () => (await count("gift_transactions")) > before, 30_000);
      await until("they play", async () => (await count("game_sessions")) > 0, 30_000);
      const seated = "SELECT FROM live_rooms WHERE seated_count > 1";
      await until("they sit", async () => (await query(seated)).length > 0, 30_000);
    } finally {
      bots.stop();
    }
    const online = "SELECT FROM live_rooms WHERE member_count > 0";
    await until("the rooms are empty", async () => (await query(online)).length === 0, 60_000);
  });

  describe("of a service that was killed while their world was made", () => {
    let environment: Record<string, string>;
    before("kills it", async () => {
      environment = {
        DATA_DIR: folder,
        DATABASE_URL: await createDatabase({ migrated: true }),
        NODE_ENV: "development",
        DEMO_BOTS: "on",
        JWT_SECRET: "of-the-test".repeat(4),
      };
      const { url, stop } = await spawnService(environment);
      const ada = createClient({ url });
      await ada.login({ identifier: "ada", password: "listen to the room" });
      const found = async () => (await ada.users.search({ q: "amara" })).items.length > 0;
      await until("the first has joined", found, 30_000);
      ada.disconnect();
      await stop("SIGKILL");
    });

    it("are all there after the next start", async () => {
      const { url, stop } = await spawnService(environment);
      const grace = createClient({ url });
      await grace.login({ identifier: "grace", password: "listen to the room" });
      const rooms = async () => (await grace.rooms.list()).items.filter(({ member_count }) => member_count > 0);
      await until("people are in rooms", async () => (await rooms()).length > 1, 40_000);
      for (const { username, post } of cast.filter((one) => one.post)) {
        const user = (await grace.users.search({ q: username })).items.find((one) => one.username === username)!;
        expect((await grace.users.posts(user.id)).items.map(({ content }) => content)).to.deep.equal([post]);
      }
      grace.disconnect();
      expect(await stop()).to.equal(0);
    });
  });
});
