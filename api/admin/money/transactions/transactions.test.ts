import { expect } from "chai";
import { ledgerRecord } from "#shared/contracts/views.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { useService } from "#shared/testing/service.ts";

describe("the ledger for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let user: BuiltUser;
  before(async () => {
    [admin, user] = [await buildAdmin(["transactions.read"]), await buildUser()];
    for (const amount of [100, -30, 7]) await giveCoins(user, amount);
  });
  const get = async (filter: string) =>
    (await service.admin("get", `/transactions?${filter}`, { token: admin.token })).body;
  const amounts = async (filter: string) =>
    (await get(`user_id=${user.id}&${filter}`)).data.items.map(
      ({ direction, amount }: { direction: string; amount: number }) => `${direction} ${amount}`,
    );

  it("is listed newest first, by account, type, direction, reference, and time", async () => {
    const { data } = await get(`user_id=${user.id}`);
    const [latest] = data.items;
    const { transaction_id, reference_type, reference_id } = latest;

    expect(latest).to.include({ type: "admin_adjustment", balance_after: 77, principal_kind: "service", house: null });
    expect(await amounts("")).to.deep.equal(["credit 7", "debit 30", "credit 100"]);
    expect(await amounts("direction=debit")).to.deep.equal(["debit 30"]);
    expect(await amounts("type=gift_sent")).to.deep.equal([]);
    expect(await amounts("from=2020-01-01T00:00:00.000Z")).to.have.length(3);
    expect(await amounts("to=2020-01-01T00:00:00.000Z")).to.deep.equal([]);
    expect(await amounts(`reference_type=${reference_type}&reference_id=${reference_id}`)).to.deep.equal(["credit 7"]);
    const whole = (await get(`transaction_id=${transaction_id}`)).data.items;
    expect(whole.map(({ house }: { house: string | null }) => house)).to.have.members([null, "issue"]);
  });

  it("is read on with a cursor", async () => {
    const first = (await get(`user_id=${user.id}&limit=2`)).data;
    const second = (await get(`user_id=${user.id}&limit=2&before=${first.next_before}`)).data;

    expect([first.items.length, second.items.length, second.next_before]).to.deep.equal([2, 1, null]);
    expect(second.items[0].amount).to.equal(100);
  });

  it("is downloaded whole", async () => {
    const rows = String(await get(`user_id=${user.id}&limit=1&format=csv`))
      .trimEnd()
      .split("\n");

    expect(rows[0]).to.equal(Object.keys(ledgerRecord.describe().keys).join(","));
    expect(rows).to.have.length(4);
  });

  for (const filter of ["type=gold", "house=mine", "from=yesterday", "user_id=7", "direction=up", "limit=1000"])
    it(`rejects ${filter}`, async () => {
      expect((await get(filter)).error.code).to.equal("VALIDATION_ERROR");
    });
});
