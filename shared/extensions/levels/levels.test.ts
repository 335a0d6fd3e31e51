import { expect, type Registered, until, useHouse } from "#shared/extension/testing.ts";

describe("levels", function () {
  this.timeout(180_000);
  const house = useHouse(import.meta.url);

  let [host, giver]: Registered[] = [];
  let roomId: string;
  let giftId: string;

  before(async () => {
    [host, giver] = [await house.register(), await house.register()];
    giftId = await house.addGift(10);
    roomId = await house.openRoom(host!);
    const step = (kind: string, level: number, coins: number) =>
      house.admin("post", "/levels-steps", {
        ...{ kind, level, coins, title: `${kind} ${level}`, badge_url: `https://cdn.example.com/${kind}-${level}.png` },
      });
    for (const created of [await step("giving", 1, 20), await step("giving", 2, 50), await step("hosting", 1, 60)])
      expect(created.status).to.equal(201);
    expect((await step("giving", 2, 70)).status).to.equal(409);
  });

  const levelsOf = async (user: Registered) => (await house.call("get", `/levels?user_ids=${user.id}`, host)).body.data;
  const bodies = async (user: Registered) =>
    (await house.call("get", "/notifications", user)).body.data.items.map(({ body }: { body: string }) => body);
  const levelOf = (kind: string, level: number) => ({
    ...{ level, title: `${kind} ${level}`, badge_url: `https://cdn.example.com/${kind}-${level}.png` },
  });

  it("rise with the coins of gifts, and are told to the user and the room", async () => {
    const client = await house.connect(giver!);
    await client.ask("room:join", { room_id: roomId });
    expect(await levelsOf(giver!)).to.deep.equal([{ user_id: giver!.id, giving: null, hosting: null }]);
    await house.give(giver!, roomId, host!, giftId, 2);
    await until("the first is reached", async () => (await levelsOf(giver!))[0].giving?.level === 1, 60_000);
    await house.give(giver!, roomId, host!, giftId, 4);
    await until("the second is", async () => (await levelsOf(giver!))[0].giving?.level === 2, 60_000);
    expect((await levelsOf(host!))[0]).to.deep.include({ giving: null, hosting: levelOf("hosting", 1) });
    await until(
      "the room is told",
      () => client.received.filter(({ event }) => event === "levels:reached").length === 3,
      60_000,
    );
    expect(client.received.findLast(({ payload }) => payload.kind === "giving")!.payload).to.deep.equal({
      ...{ user_id: giver!.id, room_id: roomId, kind: "giving", ...levelOf("giving", 2) },
    });
    expect(await bodies(giver!)).to.include("You have reached level 2 of giving: giving 2.");
    expect(await bodies(host!)).to.include("You have reached level 1 of hosting: hosting 1.");
    const own = (await house.call("get", "/levels/own", giver)).body.data;
    expect(own).to.include({ giving_coins: 60, hosting_coins: 0 });
    expect(own.steps).to.have.length(3);
  });

  it("count each gift once, however often its event is handled", async () => {
    // The handling of events is repeated, as after the kill of a process.
    await house.query(
      "UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE name = 'handle_extension_events'",
    );
    await until(
      "it is done again",
      async () => {
        const [{ n }] = (await house.query(
          "SELECT count(*) AS n FROM pgboss.job WHERE name = 'handle_extension_events' AND state <> 'completed'",
        )) as [{ n: string }];
        return Number(n) === 0;
      },
      60_000,
    );
    expect((await house.call("get", "/levels/own", giver)).body.data.giving_coins).to.equal(60);
  });

  it("are for a hundred users at most, and gone with an account", async () => {
    const many = Array.from({ length: 101 }, () => host!.id).join(",");
    expect((await house.call("get", `/levels?user_ids=${many}`, host)).body.error.code).to.equal("VALIDATION_ERROR");
    expect((await house.call("get", "/levels?user_ids=me", host)).body.error.code).to.equal("VALIDATION_ERROR");
    expect((await house.call("post", "/account/delete-request", giver)).status).to.equal(200);
    await house.query("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [giver!.id]);
    await house.query("UPDATE pgboss.job SET start_after = now() WHERE name = 'deletion.erase'");
    const left = () => house.query("SELECT 1 FROM ext_levels.totals WHERE user_id = $1", [giver!.id]);
    await until("the account is erased", async () => (await left()).length === 0, 90_000);
  });

  it("don't exist while they are off", async () => {
    await house.admin("patch", "/settings", { levels_enabled: false });
    expect((await house.call("get", "/levels/own", host)).status).to.equal(404);
  });
});
