import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { usedIn } from "#shared/domain/money/payouts/request-payout.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { buildEarner, buildPayoutMethod, earn, know, retirePayoutMethods } from "#shared/testing/payouts.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

/** A job sends what is approved, and may be quicker than the answer. */
const approved = ["approved", "sent", "settled"];

describe("the API of payouts", () => {
  const service = useService();
  let root: { token: string };
  const settings = ["earnings_maturing_days", "payout_open_max", "payout_approval_above"] as const;
  before(async () => {
    root = await buildAdmin();
  });
  beforeEach(() => rememberSettings({ earnings_maturing_days: 0, payout_open_max: 50 }));
  after(async () => {
    rememberSettings(Object.fromEntries(settings.map((name) => [name, settingDefault(name)])));
    await retirePayoutMethods();
  });

  const upi = { kind: "upi", vpa: "grace@okaxis" };
  const request = ({ token }: BuiltUser, amount: number, method: object = upi, key: string = newId()) =>
    service.call("post", "/payouts", { token, body: { amount, method }, headers: { "idempotency-key": key } });
  const codeOf = async (answer: ReturnType<typeof request>) => (await answer).body.error?.code ?? "ok";
  const read = async ({ token }: BuiltUser, path: string) => (await service.call("get", path, { token })).body.data;
  const decide = (payoutId: string, verb: string, body: object = {}, { token } = root) =>
    service.admin("post", `/payouts/${payoutId}/${verb}`, { token, body });

  it("requires an identity check, matured earnings, and what the method asks for", async () => {
    const grace = await buildUser();
    await earn(grace, 1000);
    expect(await codeOf(request(grace, 500))).to.equal("KYC_REQUIRED");
    await know(grace);
    expect(await codeOf(request(grace, 1001))).to.equal("INSUFFICIENT_BALANCE");
    rememberSettings({ earnings_maturing_days: 7 });
    expect(await codeOf(request(grace, 500))).to.equal("INSUFFICIENT_BALANCE");
    rememberSettings({ earnings_maturing_days: 0 });
    for (const method of [
      { kind: "upi" },
      { ...upi, iban: "DE89370400440532013000" },
      { kind: "upi", vpa: "no address" },
    ])
      expect(await codeOf(request(grace, 500, method)), JSON.stringify(method)).to.equal("VALIDATION_ERROR");
    await know(grace, 0);
    expect(await codeOf(request(grace, 500))).to.equal("KYC_REQUIRED");
  });

  it("holds the earnings once for each key, is approved, sent, and settled, and is hidden from others", async () => {
    const [grace, other] = [await buildEarner(1000), await buildUser()];
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 5 }, () => request(grace, 400, upi, key)));
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id));
    expect(ids.size).to.equal(1);
    const id = [...ids][0] as string;
    expect(answers[0]!.body.data).to.include({
      status: "requested",
      amount: 400,
      net: 400,
      fee: 0,
      shown: "gr•••@okaxis",
    });
    expect(await read(grace, "/earnings")).to.include({ balance: 600, available: 600 });

    expect((await decide(id, "approve")).body.data.status).to.be.oneOf(approved);
    await until("it is settled", async () => (await read(grace, `/payouts/${id}`)).status === "settled");
    expect((await read(grace, "/payouts?status=settled")).items.map((one: { id: string }) => one.id)).to.deep.equal([
      id,
    ]);
    expect((await read(grace, "/earnings/movements")).items[0]).to.include({
      type: "payout",
      direction: "debit",
      amount: 400,
    });
    expect(await read(other, `/payouts/${id}`)).to.equal(undefined);
    expect((await read(other, "/payouts")).total).to.equal(0);
    expect((await decide(id, "decline", { reason: "No" })).body.error.code).to.equal("CONFLICT");
  });

  it("gives declined earnings back, available at once", async () => {
    const grace = await buildEarner(1000);
    const { id } = (await request(grace, 1000)).body.data;
    rememberSettings({ earnings_maturing_days: 7 });
    expect((await decide(id, "decline", { reason: "Another name" })).status).to.equal(200);
    expect(await read(grace, `/payouts/${id}`)).to.include({ status: "declined", failure: "Another name" });
    rememberSettings({ earnings_maturing_days: 0 });
    expect(await read(grace, "/earnings")).to.include({ available: 1000 });
  });

  it("needs a second, independent administrator above a sum in a day, however it is split", async () => {
    rememberSettings({ payout_approval_above: 900 });
    const grace = await buildEarner(1000);
    const [small, large] = [(await request(grace, 500)).body.data.id, (await request(grace, 500)).body.data.id];
    expect((await decide(small, "approve")).body.data.status).to.be.oneOf(approved);
    const first = (await decide(large, "approve")).body.data;
    expect([first.status, first.first_approved_by === null]).to.deep.equal(["requested", false]);
    expect((await decide(large, "approve")).body.error.code).to.equal("FORBIDDEN");
    const second = await decide(large, "approve", {}, await buildAdmin(["payouts.write"]));
    expect(second.body.data.status).to.be.oneOf(approved);
    rememberSettings({ payout_approval_above: settingDefault("payout_approval_above") });
  });

  it("never passes the balance, the limit of a day, and of open payouts, by twenty calls at once", async () => {
    await buildPayoutMethod({
      kind: "wallet",
      fields: ["wallet", "account"],
      provider: "sandbox",
      daily_max: 350,
      countries: ["IN"],
    });
    const grace = await buildEarner(1000);
    await query("UPDATE users SET country = 'IN' WHERE id = $1", [grace.id]);
    const wallet = { kind: "wallet", wallet: "amazonpay", account: "+919876543210" };
    const twenty = async (amount: number, method: object) =>
      (await Promise.all(Array.from({ length: 20 }, () => codeOf(request(grace, amount, method))))).filter(
        (code) => code === "ok",
      );
    expect(await twenty(100, wallet)).to.have.length(3);
    expect(await twenty(100, upi)).to.have.length(7);
    const ada = await buildEarner(1000);
    rememberSettings({ payout_open_max: 2 });
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(request(ada, 10))));
    expect(codes.filter((code) => code === "ok")).to.have.length(2);
  });

  it("counts the days and months of its zone, over midnight and daylight saving", async () => {
    const grace = await buildEarner(1000);
    const { id } = (await request(grace, 100)).body.data;
    const used = async (at: string, span: "day" | "month", zone: string) => {
      await query("UPDATE payouts SET created_at = $2 WHERE id = $1", [id, "2027-03-31T19:00:00Z"]);
      return inTransaction((tx) => usedIn(tx, grace.id, span, zone, at));
    };
    // 0:30 on April 1 in Kolkata, and still March 31 in UTC.
    expect(await used("2027-03-31T19:30:00Z", "day", "Asia/Kolkata")).to.deep.equal({ used: 100, wait: 82_800 });
    expect(await used("2027-04-01T18:29:59Z", "day", "Asia/Kolkata")).to.deep.equal({ used: 100, wait: 1 });
    expect((await used("2027-04-01T18:30:00Z", "day", "Asia/Kolkata")).used).to.equal(0);
    expect((await used("2027-03-31T23:59:59Z", "month", "UTC")).used).to.equal(100);
    expect((await used("2027-04-01T00:00:00Z", "month", "UTC")).used).to.equal(0);
    expect((await used("2027-04-30T18:29:59Z", "month", "Asia/Kolkata")).used).to.equal(100);
    await query("UPDATE payouts SET created_at = '2027-03-28T00:00:00Z' WHERE id = $1", [id]);
    // A day of 23 hours in Berlin.
    const short = await inTransaction((tx) => usedIn(tx, grace.id, "day", "Europe/Berlin", "2027-03-28T21:59:00Z"));
    expect(short).to.deep.equal({ used: 100, wait: 60 });
  });

  it("lets an administrator pay by a file of the bank, and record what came of it", async () => {
    await buildPayoutMethod({
      kind: "bank",
      fields: ["holder_name", "iban"],
      provider: "bank_file",
      currency: "EUR",
      countries: ["DE"],
      fee_fixed: 10,
    });
    const grace = await buildEarner(1000);
    await query("UPDATE users SET country = 'DE' WHERE id = $1", [grace.id]);
    const bank = { kind: "bank", holder_name: "=Grace()", iban: "DE89370400440532013000" };
    expect(await codeOf(request(grace, 100, { ...bank, iban: "DE89370400440532013001" }))).to.equal("VALIDATION_ERROR");
    const ids: string[] = [];
    for (const amount of [100, 200, 300]) ids.push((await request(grace, amount, bank)).body.data.id);
    for (const id of ids) await decide(id, "approve");
    const { token } = root;
    const batch = (await service.admin("post", "/payout-batches", { token, body: { currency: "EUR" } })).body.data;
    expect(batch).to.include({ payouts: 3, net: 570 });
    expect(
      (await service.admin("post", "/payout-batches", { token, body: { currency: "EUR" } })).body.error.code,
    ).to.equal("CONFLICT");
    const file = await service.admin("get", `/payout-file?format=csv&batch_id=${batch.id}`, { token });
    const line = String(file.body)
      .split("\n")
      .find((one) => one.startsWith(ids[0]!))!;
    expect(line).to.equal(`${ids[0]},0.9,EUR,bank,,'=Grace(),,,DE89370400440532013000,,,,`);

    const csv = `payout_id,status,amount,reference\n${ids[0]},settled,0.90,B1\n${ids[1]},returned,1.9,B2\n${ids[2]},settled,2.00,B3\n`;
    const upload = () =>
      service.admin("post", `/payout-batches/${batch.id}/outcomes`, {
        token,
        body: csv,
        headers: { "content-type": "text/csv" },
      });
    expect([(await upload()).status, (await upload()).status]).to.deep.equal([200, 200]);
    const states = await query<{ state: string }>(
      "SELECT status || ' ' || coalesce(flag, '-') AS state FROM payouts WHERE id = ANY ($1::uuid[]) ORDER BY amount",
      [ids],
    );
    expect(states.map(({ state }) => state)).to.deep.equal(["settled -", "returned -", "sent amount"]);
    expect((await decide(ids[2]!, "resolve", { status: "settled", reason: "The bank took a fee" })).status).to.equal(
      200,
    );
    expect((await read(grace, "/earnings")).available).to.equal(600);
  });
});
