import { expect, type HouseClient, type Registered, until, useHouse } from "#shared/extension/testing.ts";

describe("battles", function () {
  this.timeout(240_000);
  const house = useHouse(import.meta.url, {}, { processes: 2 });

  let [ada, bob, fan]: Registered[] = [];
  let [roomA, roomB]: string[] = [];
  let giftId: string;

  before(async () => {
    [ada, bob, fan] = [await house.register(), await house.register(), await house.register()];
    giftId = await house.addGift(10);
    await house.admin("post", "/battles/funds", { coins: 1000 });
    await house.admin("patch", "/settings", { battles_reward_percent: 10, granted_coins_first: false });
    await house.buy(fan!, 5000);
    [roomA, roomB] = [await house.openRoom(ada!), await house.openRoom(bob!)];
  });

  const code = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? "none";
  const invite = (seconds: number, by = ada!) =>
    house.call("post", "/battles", by, { room_id: roomA, rival_room_id: roomB, seconds });
  const answer = (id: string, how: string, by: Registered) => house.call("post", `/battles/${id}/${how}`, by);
  const battle = async (id: string, room = roomA) =>
    (await house.call("get", `/battles?room_id=${room}`, fan)).body.data.find((one: { id: string }) => one.id === id);
  /** Sends a gift in a room. After a kill, the fan is in none. */
  async function give(room: string, host: Registered, quantity: number): Promise<void> {
    await house.join(fan!, room);
    await house.join(host, room);
    await house.give(fan!, room, host, giftId, quantity);
  }
  /** Makes a battle end soon, as its job does then. */
  const endSoon = (id: string) =>
    house.query("UPDATE ext_battles.battles SET ends_at = now() + interval '1 second' WHERE id = $1", [id]);
  const endNow = async (id: string) => {
    await house.query(
      "UPDATE pgboss.job SET start_after = now() WHERE name = 'ext_battles.end' AND data->>'battle_id' = $1",
      [id],
    );
    await until("it ends", async () => (await battle(id)).status === "ended", 90_000);
    return battle(id);
  };
  const watch = async (user: Registered, room: string): Promise<HouseClient> => {
    const client = await house.connect(user);
    await client.ask("room:join", { room_id: room });
    return client;
  };

  it("are for hosts of two rooms, one at a time, and can be declined or withdrawn", async () => {
    expect(code(await invite(60, bob))).to.equal("FORBIDDEN");
    const first = (await invite(60)).body.data;
    expect(first).to.include({ status: "invited", score: 0, starts_at: null });
    expect(code(await invite(60))).to.equal("BATTLES_BUSY");
    expect(code(await answer(first.id, "accept", ada!))).to.equal("NOT_FOUND");
    expect((await answer(first.id, "decline", bob!)).body.data.status).to.equal("declined");
    expect(code(await answer(first.id, "accept", bob!))).to.equal("BATTLES_OVER");
    const second = (await invite(60)).body.data;
    expect((await answer(second.id, "withdraw", ada!)).body.data.status).to.equal("withdrawn");
    const own = await house.openRoom(ada!);
    const alone = { room_id: roomA, rival_room_id: own, seconds: 60 };
    expect(code(await house.call("post", "/battles", ada, alone))).to.equal("VALIDATION_ERROR");
    const { items } = (await house.call("get", "/notifications", bob)).body.data;
    expect(items[0].body).to.equal("Night owls invites your room Night owls to a battle.");
  });

  it("don't exist for someone whom a host has blocked", async () => {
    const stranger = await house.register();
    await house.call("post", `/users/${stranger.id}/block`, bob);
    const room = await house.openRoom(stranger);
    const invited = await house.call("post", "/battles", stranger, {
      room_id: room,
      rival_room_id: roomB,
      seconds: 60,
    });
    expect(code(invited)).to.equal("NOT_FOUND");
    expect(code(await house.call("get", `/battles?room_id=${roomB}`, stranger))).to.equal("NOT_FOUND");
  });

  it("show both rooms one state, and reward the winner's host from the budget", async () => {
    const clients = [await watch(ada!, roomA!), await watch(bob!, roomB!)];
    const { id } = (await invite(3600)).body.data;
    const started = await Promise.all(Array.from({ length: 5 }, () => answer(id, "accept", bob!)));
    expect(started.filter(({ status }) => status === 200)).to.have.length(1);
    expect(code(await invite(60))).to.equal("BATTLES_BUSY");
    await give(roomA!, ada!, 20);
    await give(roomB!, bob!, 5);
    const states = (client: HouseClient) =>
      client.received.flatMap(({ event, payload }) =>
        event === "battles:updated" && payload.id === id ? [payload] : [],
      );
    const scored = (client: HouseClient) => states(client).some((one) => one.score === 200 && one.rival_score === 50);
    await until("both rooms see the score", () => clients.every(scored), 60_000);
    await endSoon(id);
    const ended = await endNow(id);
    expect(ended).to.include({ score: 200, rival_score: 50, winner_room_id: roomA, reward: 20 });
    await until("both see the end", () => clients.every((one) => states(one).at(-1)?.status === "ended"), 60_000);
    for (const client of clients) expect(states(client).at(-1)).to.deep.equal(ended);
    expect(await house.checkLedger()).to.equal("The ledger is consistent.");
  });

  for (const place of [0, 1])
    it(`survive the kill of the process of room ${place + 1}, with the same result`, async () => {
      const { id } = (await invite(3600)).body.data;
      await answer(id, "accept", bob!);
      await give(roomA!, ada!, 3);
      await give(roomB!, bob!, place === 0 ? 3 : 4);
      await endSoon(id);
      await house.kill([roomA, roomB][place]);
      const { status, winner_room_id, score, rival_score } = await endNow(id);
      expect({ status, winner_room_id, score, rival_score }).to.deep.equal({
        ...{ status: "ended", winner_room_id: place === 0 ? null : roomB, score: 30, rival_score: 30 + 10 * place },
      });
    });

  it("don't exist while they are off", async () => {
    await house.admin("patch", "/settings", { battles_enabled: false });
    expect(code(await invite(60))).to.equal("NOT_FOUND");
  });
});
