import { expect, type Registered, until, useHouse } from "#shared/extension/testing.ts";

describe("missions", function () {
  this.timeout(180_000);
  const house = useHouse(import.meta.url);

  let ada: Registered;
  before(async () => {
    ada = await house.register();
  });
  const codeOf = ({ body }: { body: { error?: { code: string } } }) => body.error?.code ?? "none";

  it("pay nothing without a budget", async () => {
    expect(codeOf(await house.call("post", "/missions/check-in", ada))).to.equal("MISSIONS_EMPTY");
  });

  it("reward a check-in once a day, also for calls at once, and no more than the budget has", async () => {
    expect((await house.admin("post", "/missions/funds", { coins: 12 })).body.data.budget).to.equal(12);
    const [grace, linus] = await Promise.all([house.register(), house.register()]);
    const calls = await Promise.all(Array.from({ length: 50 }, () => house.call("post", "/missions/check-in", ada)));
    expect(calls.filter(({ status }) => status === 200)).to.have.length(1);
    expect(await house.coinsOf(ada)).to.equal(105);
    expect(codeOf(await house.call("post", "/missions/check-in", grace))).to.equal("none");
    expect(codeOf(await house.call("post", "/missions/check-in", linus))).to.equal("MISSIONS_EMPTY");
    expect((await house.call("get", "/missions", ada)).body.data.checked_in).to.equal(true);
  });

  it("count domain events, and reward what is complete, once", async () => {
    await house.admin("post", "/missions/funds", { coins: 100 });
    const task = { title: "Open two rooms", kind: "room.opened", goal: 2, coins: 30 };
    const { id } = (await house.admin("post", "/missions-tasks", task)).body.data;
    const progress = async () => (await house.call("get", "/missions", ada)).body.data.tasks[0].progress;
    await house.openRoom(ada);
    await until("the first counts", async () => (await progress()) === 1, 60_000);
    expect(codeOf(await house.call("post", `/missions/${id}/claims`, ada))).to.equal("MISSIONS_INCOMPLETE");
    await house.openRoom(ada);
    await until("the second counts", async () => (await progress()) === 2, 60_000);
    const claims = await Promise.all(
      Array.from({ length: 50 }, () => house.call("post", `/missions/${id}/claims`, ada)),
    );
    expect(claims.filter(({ body }) => body.data?.coins === 30)).to.have.length(1);
    expect(claims.filter((claim) => codeOf(claim) === "MISSIONS_CLAIMED")).to.have.length(49);
    expect(await house.coinsOf(ada)).to.equal(135);
    expect(await house.checkLedger()).to.equal("The ledger is consistent.");
  });

  it("don't exist while they are off", async () => {
    await house.admin("patch", "/settings", { missions_enabled: false });
    expect(codeOf(await house.call("get", "/missions", ada))).to.equal("NOT_FOUND");
  });
});
