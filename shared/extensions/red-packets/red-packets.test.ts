import { expect, type Registered, until, useHouse } from "#shared/extension/testing.ts";
import { nextShare } from "./packets.ts";

describe("red packets", function () {
  this.timeout(180_000);
  const house = useHouse(import.meta.url);

  let host: Registered;
  let roomId: string;
  before(async () => {
    host = await house.register();
    roomId = await house.openRoom(host);
    // Those who only call are not in a room for long.
    await (await house.connect(host)).ask("room:join", { room_id: roomId });
  });

  const send = (body: object) =>
    house.call("post", "/red-packets", host, { room_id: roomId, coins: 20, shares: 2, kind: "equal", ...body });

  it("are shown to the room, and their shares go to those who take them", async () => {
    const guest = await house.register();
    const client = await house.connect(guest);
    await client.ask("room:join", { room_id: roomId });
    const sent = await send({ coins: 15, shares: 2 });
    expect(sent.status).to.equal(201);
    await until("the packet is shown", () => client.received.some(({ event }) => event === "red_packets:sent"));

    const { id } = sent.body.data;
    expect((await house.call("post", `/red-packets/${id}/claims`, guest)).body.data).to.deep.equal({ coins: 7 });
    expect((await house.call("post", `/red-packets/${id}/claims`, guest)).body.data).to.deep.equal({ coins: 7 });
    expect(await house.coinsOf(guest)).to.equal(107);
    expect((await house.call("get", `/red-packets/${id}`, host)).body.data).to.include({
      shares_left: 1,
      is_open: true,
    });
  });

  it("have exactly as many shares as they say, for a thousand claims of a crowd at once", async () => {
    const [people, shares, coins] = [250, 100, 400];
    await house.admin("patch", "/settings", { red_packets_window_seconds: 3600 });
    await house.buy(host, coins);
    const crowd = await house.crowd(people);
    await Promise.all(crowd.map((one) => house.join(one, roomId)));
    const { id } = (await send({ coins, shares, kind: "drawn" })).body.data;
    const rounds = Array.from({ length: 4 }, () => crowd);
    const claims = await Promise.all(rounds.flat().map((one) => house.call("post", `/red-packets/${id}/claims`, one)));

    const byStatus = Map.groupBy(claims, ({ status }) => status);
    expect([...byStatus.keys()].sort()).to.deep.equal([200, 409]);
    expect(byStatus.get(409)!.every(({ body }) => body.error.code === "RED_PACKETS_GONE")).to.equal(true);
    const seen = (await house.call("get", `/red-packets/${id}`, host)).body.data;
    const takers = new Map<string, number>(
      seen.claims.map((one: { user_id: string; coins: number }) => [one.user_id, one.coins]),
    );
    expect([seen.claims.length, takers.size, seen.shares_left]).to.deep.equal([shares, shares, 0]);
    expect([...takers.values()].reduce((sum, share) => sum + share, 0)).to.equal(coins);
    const wallets = await house.query(
      "SELECT sum(balance)::int AS coins FROM wallets WHERE asset = 'coins' AND user_id = ANY ($1)",
      [crowd.map(({ id: userId }) => userId)],
    );
    expect(wallets).to.deep.equal([{ coins }]);
  });

  it("give the rest back, which the ledger agrees with", async () => {
    await house.admin("patch", "/settings", { red_packets_window_seconds: 1 });
    const before = await house.coinsOf(host);
    const { id } = (await send({ coins: 20, shares: 2 })).body.data;
    await until("the rest is back", async () => (await house.coinsOf(host)) === before, 60_000);
    expect((await house.call("post", `/red-packets/${id}/claims`, host)).body.error.code).to.equal("RED_PACKETS_GONE");
    const { items } = (await house.call("get", "/notifications", host)).body.data;
    expect(items[0].body).to.equal("20 coins of your red packet came back.");
    expect(await house.checkLedger()).to.equal("The ledger is consistent.");
  });

  it("are for members of the room, who have the coins, while they are on", async () => {
    const stranger = await house.register();
    const { id } = (await send({})).body.data;
    expect((await house.call("post", `/red-packets/${id}/claims`, stranger)).body.error.code).to.equal("NOT_A_MEMBER");
    expect((await send({ coins: 100_000 })).body.error.code).to.equal("INSUFFICIENT_BALANCE");
    expect((await send({ coins: 1 })).body.error.code).to.equal("VALIDATION_ERROR");
    await house.admin("patch", "/settings", { red_packets_enabled: false });
    expect((await send({})).body.error.code).to.equal("NOT_FOUND");
  });

  it("have shares that are never empty, with the same mean for the first and the last", () => {
    const sums = Array.from({ length: 10 }, () => 0);
    for (let round = 0; round < 5000; round += 1) {
      const left = { kind: "drawn" as const, coins_left: 1000, shares_left: 10 };
      for (let place = 0; place < 10; place += 1) {
        const share = nextShare(left);
        expect(share).to.be.at.least(1);
        sums[place]! += share;
        left.coins_left -= share;
        left.shares_left -= 1;
      }
      expect(left.coins_left).to.equal(0);
    }
    for (const sum of sums) expect(sum / 5000).to.be.within(90, 110);
  });
});
