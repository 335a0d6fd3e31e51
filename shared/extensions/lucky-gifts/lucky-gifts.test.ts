import { drawOf, hashSeed, newSeed } from "#shared/extension/index.ts";
import { expect, type HouseClient, type Registered, until, useHouse } from "#shared/extension/testing.ts";
import { drawTimes, oddsSchema, outOf, readOdds } from "./odds.ts";

/** How many draws are compared with the odds: `LUCKY_DRAWS=10000000` takes a minute. */
const drawsOfOdds = Number(process.env.LUCKY_DRAWS ?? 100_000);

describe("the odds of lucky gifts", function () {
  this.timeout(600_000);

  it("are those of the draws", () => {
    const outcomes = readOdds(["1:100000", "2:50000", "5:10000", "10:5000", "50:1000", "500:100"]);
    const found = new Map<number, number>();
    const seed = newSeed();
    for (let place = 0; place < drawsOfOdds; place += 1) {
      const { times } = drawTimes(seed, place, outcomes);
      found.set(times, (found.get(times) ?? 0) + 1);
    }
    const lost = { times: 0, chance: outOf - outcomes.reduce((sum, { chance }) => sum + chance, 0) };
    const chi2 = [lost, ...outcomes].reduce((sum, { times, chance }) => {
      const expected = (drawsOfOdds * chance) / outOf;
      return sum + ((found.get(times) ?? 0) - expected) ** 2 / expected;
    }, 0);
    // With 6 degrees of freedom, one run in a million has more.
    expect(chi2, `χ² of ${drawsOfOdds} draws`).to.be.lessThan(38.26);
    if (process.env.LUCKY_DRAWS) console.info(`χ² of ${drawsOfOdds} draws: ${chi2.toFixed(2)}`);
  });

  it("never return more than is staked", () => {
    const isValid = (...entries: string[]) => oddsSchema.validate(entries).error === undefined;
    expect(isValid("1:1000000")).to.equal(false);
    expect(isValid("1:999999")).to.equal(true);
    expect(isValid("1:500000", "2:250000")).to.equal(true);
    expect(isValid("1:500000", "2:250001")).to.equal(false);
    expect(isValid("2")).to.equal(false);
  });
});

describe("lucky gifts", function () {
  this.timeout(240_000);
  const house = useHouse(import.meta.url);

  let host: Registered;
  let player: Registered;
  let roomId: string;
  let giftId: string;
  let client: HouseClient;

  before(async () => {
    host = await house.register();
    player = await house.register();
    roomId = await house.openRoom(host);
    giftId = await house.addGift(10);
    await house.admin("post", "/lucky-gifts-gifts", { gift_id: giftId });
    client = await house.connect(player);
    await client.ask("room:join", { room_id: roomId });
  });

  const setOdds = (...odds: string[]) => house.admin("patch", "/settings", { lucky_gifts_odds: odds });
  const view = async () => (await house.call("get", "/lucky-gifts", player)).body.data;
  const drawn = async (id: string) => {
    const found = () => house.call("get", `/lucky-gifts/draws/${id}`, player);
    await until("the gift is drawn", async () => (await found()).status === 200, 60_000);
    return (await found()).body.data;
  };
  const countOf = async (sql: string) => Number((await house.query(`SELECT count(*) FROM ${sql}`))[0]!.count);

  it("win nothing for granted coins", async () => {
    await house.admin("post", "/lucky-gifts/funds", { coins: 1000 });
    await setOdds("1:999999");
    const draw = await drawn(await house.give(player, roomId, host, giftId, 10));
    expect(draw).to.include({ stake: 0, times: 0, coins: 0, place: null });
    expect(await house.coinsOf(player)).to.equal(0);
    expect((await view()).pool).to.equal(1000);
  });

  it("win by a seed whose hash was public before, and which is public once it is closed", async () => {
    await house.buy(player, 100);
    const [{ seed_hash, seed }] = (await view()).seeds;
    expect(seed).to.equal(null);
    const id = await house.give(player, roomId, host, giftId, 3);
    const draw = await drawn(id);
    expect(draw).to.deep.include({ stake: 30, times: 1, coins: 30, place: 0, odds: ["1:999999"] });
    expect(await house.coinsOf(player)).to.equal(100);
    // 40 % of the price goes into the pool, and the win comes out of it.
    expect((await view()).pool).to.equal(1000 + 12 - 30);
    await until("the room is told", () => client.received.some(({ event }) => event === "lucky_gifts:won"));
    const { payload } = client.received.find(({ event }) => event === "lucky_gifts:won")!;
    expect(payload).to.deep.include({ gift_transaction_id: id, user_id: player.id, times: 1, coins: 30 });

    await house.query("INSERT INTO pgboss.job (name, data) VALUES ('ext_lucky_gifts.change_seed', '{}')");
    await until("the seed changes", async () => (await view()).seeds.length === 2, 60_000);
    const closed = await drawn(id);
    expect((await view()).seeds[1]).to.include({ seed_hash, seed: closed.seed, draws: 1 });
    expect(hashSeed(closed.seed)).to.equal(seed_hash);
    expect(drawOf(closed.seed, 0, outOf)).to.equal(draw.number);
    expect((await house.call("get", `/lucky-gifts/draws/${id}`, host)).status).to.equal(404);
  });

  /** Several people who give at once: a room lets each have some actions waiting. */
  async function givers(coins: number): Promise<Registered[]> {
    const people = await Promise.all(Array.from({ length: 10 }, () => house.register()));
    for (const one of people) {
      await house.buy(one, coins);
      await house.join(one, roomId);
    }
    return people;
  }
  const give = (people: readonly Registered[], times: number) =>
    people.flatMap((one) => Array.from({ length: times }, () => house.give(one, roomId, host, giftId)));

  it("keep the pool at its floor, for hundreds at once", async () => {
    await setOdds("10:100000");
    const { pool } = await view();
    // Nothing is drawn without 100 coins for the greatest win.
    const floor = { lucky_gifts_floor: pool - 150, lucky_gifts_pool_percent: 10 };
    await house.admin("patch", "/settings", { ...floor, granted_coins_first: false });
    await house.query(`ALTER TABLE ext_lucky_gifts.budget ADD CONSTRAINT floor CHECK (coins >= ${pool - 150})`);
    const before = await countOf("ext_lucky_gifts.draws");
    const wins = await countOf("ext_lucky_gifts.draws WHERE times > 0");
    await Promise.all(give(await givers(500), 50));
    await until("all are drawn", async () => (await countOf("ext_lucky_gifts.draws")) === before + 500, 60_000);
    expect(await countOf("ext_lucky_gifts.draws WHERE times > 0")).to.be.greaterThan(wins);
    expect(await house.checkLedger()).to.equal("The ledger is consistent.");
    const [own] = await house.query("SELECT sum(amount) AS coins FROM ledger_entries WHERE house = 'ext_lucky_gifts'");
    expect(Number(own!.coins)).to.equal((await view()).pool);
  });

  it("draw each gift once, though the service is killed", async () => {
    const before = await countOf("gift_transactions");
    const given = Promise.allSettled(give(await givers(200), 20));
    await until("some are sent", async () => (await countOf("gift_transactions")) > before + 50, 60_000);
    await house.kill();
    await given;
    // Jobs that had begun are done again, without a minute's wait for their heartbeat; those of the new process twice.
    await house.query("UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active'");
    const lacking = "gift_transactions t WHERE NOT EXISTS (SELECT 1 FROM ext_lucky_gifts.draws d WHERE d.id = t.id)";
    await until("all are drawn", async () => (await countOf(lacking)) === 0, 90_000);
    expect(await countOf("ext_lucky_gifts.draws")).to.equal(await countOf("gift_transactions"));
    expect(await house.checkLedger()).to.equal("The ledger is consistent.");
  });

  it("don't exist while they are off", async () => {
    await house.admin("patch", "/settings", { lucky_gifts_enabled: false });
    expect((await house.call("get", "/lucky-gifts", player)).status).to.equal(404);
  });
});
