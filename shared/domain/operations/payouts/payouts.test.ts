import { expect } from "chai";
import { jobsSchema } from "#shared/db/install-jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { getEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { erasePayouts } from "#shared/domain/money/payouts/erase-payouts.ts";
import { configurePayouts } from "#shared/domain/money/payouts/payouts.config.ts";
import { makeRazorpayX } from "#shared/domain/money/payouts/providers/razorpayx.ts";
import { receivePayoutWebhook } from "#shared/domain/money/payouts/receive-payout-webhook.ts";
import { requestPayout } from "#shared/domain/money/payouts/request-payout.ts";
import { payoutsJob } from "#shared/domain/money/payouts/send-payouts.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { type FakePayout, FakeRazorpayX, type PayoutTrouble } from "#shared/testing/fakes/fake-razorpayx.ts";
import { buildEarner, buildPayoutMethod, retirePayoutMethods, sendNow } from "#shared/testing/payouts.ts";
import { adminCaller, callerOf, outcomeOf, setStatus } from "#shared/testing/people.ts";
import { testPayouts, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { approvePayout, declinePayout, resolvePayout } from "./decide-payout.ts";

/** Long enough for a busy machine; tests of what never answers shorten it. */
const patienceMs = 15_000;

describe("payouts by RazorpayX", () => {
  useService();
  let fake: FakeRazorpayX;
  let grace: BuiltUser;
  let admin: ReturnType<typeof adminCaller>;
  let planted: string[];
  const vpa = { kind: "upi", vpa: "grace@okaxis" } as const;

  before("has a method and an earner", async () => {
    planted = await checkLedger();
    rememberSettings({ earnings_maturing_days: 0, payout_open_max: 100 });
    await buildPayoutMethod({ fee_fixed: 300, fee_basis_points: 100 });
    admin = { ...adminCaller(), adminId: (await buildAdmin()).id };
    grace = await buildEarner(5_000_000);
  });
  beforeEach(async () => {
    fake = await FakeRazorpayX.start();
    configure(patienceMs);
  });
  afterEach(async () => {
    configurePayouts([]);
    await query("UPDATE payouts SET next_try_at = NULL");
    await fake.stop();
  });
  after(async () => {
    configurePayouts(testPayouts);
    rememberSettings({
      earnings_maturing_days: settingDefault("earnings_maturing_days"),
      payout_open_max: settingDefault("payout_open_max"),
    });
    await retirePayoutMethods();
    expect((await checkLedger()).filter((text) => !planted.includes(text))).to.deep.equal([]);
  });

  const configure = (timeoutMs: number) => configurePayouts([makeRazorpayX(fake.credentials, timeoutMs)]);
  const available = async () => (await getEarnings(grace.id)).available;
  const stateOf = (id: string) =>
    queryOne<{ status: string; flag: string | null; failure: string | null }>(
      "SELECT status, flag, failure FROM payouts WHERE id = $1",
      [id],
    );
  /** Requests a payout, and has it approved. */
  async function approved(
    amount = 10_000,
    method: Parameters<typeof requestPayout>[1]["method"] = vpa,
  ): Promise<string> {
    const { id } = await requestPayout(callerOf(grace), { amount, method });
    await approvePayout(admin, id);
    // Beside it, the tests' own tries would count as later attempts.
    await until("the approval's job has ended", async () => {
      const jobs = await query(`SELECT 1 FROM ${jobsSchema}.job WHERE name = $1 AND state <= 'active'`, [
        payoutsJob.name,
      ]);
      return jobs.length === 0;
    });
    return id;
  }
  /** Lets the job handle it until it is in this state. */
  const reaches = (id: string, status: string, flag: string | null = null) =>
    until(`the payout is ${status} ${flag}`, async () => {
      await sendNow();
      const state = await stateOf(id);
      return state?.status === status && state.flag === flag;
    });
  const webhook = (payout: FakePayout, status: string, more: Partial<FakePayout> = {}) => {
    const { body, headers } = fake.webhook(payout, status, more);
    return receivePayoutWebhook("razorpayx", body, headers);
  };

  it("are paid by their contact, account, and net, under our ID, and settle by a webhook", async () => {
    const before = await available();
    const id = await approved(10_000);
    expect(await available()).to.equal(before - 10_000);
    await reaches(id, "sent");
    const post = (call: string) => fake.calls.find((one) => one.call === `POST ${call}`)!.body;
    expect(post("contacts")).to.include({ reference_id: grace.id, type: "vendor" });
    expect(post("fund_accounts")).to.deep.include({ account_type: "vpa", vpa: { address: "grace@okaxis" } });
    expect(post("payouts")).to.include({
      amount: 9600,
      currency: "INR",
      mode: "UPI",
      reference_id: id,
      account_number: fake.accountNumber,
    });

    const [payout] = fake.paidFor(id);
    for (const status of ["processing", "processed", "processed", "queued"])
      await webhook(payout!, status, { utr: "3123" });
    const shown = await queryOne("SELECT status, reference, details_sealed, provider_id FROM payouts WHERE id = $1", [
      id,
    ]);
    expect(shown).to.deep.equal({
      status: "settled",
      reference: "3123",
      details_sealed: null,
      provider_id: payout!.id,
    });
    expect(await available()).to.equal(before - 10_000);
  });

  it("give the earnings back, at once and once, when the bank reverses them after they had settled", async () => {
    const before = await available();
    fake.payoutsAre = { status: "processed" };
    const id = await approved();
    await reaches(id, "settled");
    const [payout] = fake.paidFor(id);
    for (const status of ["reversed", "processed", "reversed"])
      await webhook(payout!, status, { failure_reason: "Account closed" });
    expect(await stateOf(id)).to.deep.equal({ status: "returned", flag: null, failure: "Account closed" });
    rememberSettings({ earnings_maturing_days: 7 });
    const { maturing } = await getEarnings(grace.id);
    rememberSettings({ earnings_maturing_days: 0 });
    expect([await available(), maturing % 10_000]).to.deep.equal([before, 0]);
  });

  it("return when an account or a first request is rejected", async () => {
    const before = await available();
    const invalid = await approved(10_000, { kind: "upi", vpa: "invalid@okaxis" });
    await reaches(invalid, "returned");
    expect(fake.payouts).to.deep.equal([]);
    fake.troubles.push("refuse");
    await reaches(await approved(), "returned");
    expect(await available()).to.equal(before);
  });

  for (const trouble of ["fail", "hang", "lose the answer", "forbid"] as const)
    it(`are asked about again, and paid once, after requests that ${trouble}`, async () => {
      if (trouble === "hang" || trouble === "lose the answer") configure(300);
      fake.troubles.push(trouble);
      if (trouble !== "hang") fake.troubles.push(trouble);
      const id = await approved();
      await until("it was asked", async () => {
        await sendNow();
        return fake.calls.some(({ call }) => call === "POST payouts");
      });
      expect(await outcomeOf(declinePayout(admin, id, "Too late"))).to.equal("CONFLICT");
      configure(patienceMs);
      fake.payoutsAre = { status: "processed" };
      for (const payout of fake.payouts) payout.status = "processed";
      await reaches(id, "settled");
      expect(fake.paidFor(id)).to.have.length(1);
    });

  it("wait for an administrator when a later attempt is rejected, since the first may have paid", async () => {
    fake.troubles.push("fail", "refuse", "refuse", "refuse");
    const id = await approved();
    await reaches(id, "approved", "rejected_late");
    await resolvePayout(admin, id, { status: "returned", reason: "Not in the books" });
    expect(await stateOf(id)).to.deep.equal({ status: "returned", flag: null, failure: "Not in the books" });
  });

  it("are flagged, not settled, when another amount is paid, or a second time, or after they were given back", async () => {
    fake.payoutsAre = { status: "processed", amount: 9_599 };
    const wrong = await approved();
    await reaches(wrong, "sent", "amount");
    await webhook(fake.paidFor(wrong)[0]!, "processed");
    expect((await stateOf(wrong))!.status).to.equal("sent");
    await resolvePayout(admin, wrong, { status: "settled", reason: "As agreed" });

    fake.payoutsAre = { status: "processing" };
    const twice = await approved();
    await reaches(twice, "sent");
    await webhook({ ...fake.paidFor(twice)[0]!, id: "pout_another" }, "processed");
    expect(await stateOf(twice)).to.include({ status: "sent", flag: "second" });

    const late = await approved();
    await reaches(late, "sent");
    await resolvePayout(admin, late, { status: "returned", reason: "The bank says so" });
    await webhook(fake.paidFor(late)[0]!, "processed");
    expect(await stateOf(late)).to.include({ status: "returned", flag: "paid_after_return" });
  });

  it("settle when the webhook comes before the answer, and ignore forged ones", async () => {
    configure(300);
    fake.troubles.push("lose the answer");
    const id = await approved();
    await until("it is paid", async () => {
      await sendNow();
      return fake.paidFor(id).length > 0;
    });
    const { body } = fake.webhook(fake.paidFor(id)[0]!, "processed");
    const headers = { "x-razorpay-signature": "0".repeat(64) };
    expect(await outcomeOf(receivePayoutWebhook("razorpayx", body, headers))).to.equal("PAYMENT_SIGNATURE_INVALID");
    await webhook(fake.paidFor(id)[0]!, "processed");
    expect(await stateOf(id)).to.include({ status: "settled", flag: null });
  });

  it("wait while the user is suspended, and are declined when the account is erased", async () => {
    const before = await available();
    const { id } = await requestPayout(callerOf(grace), { amount: 10_000, method: vpa });
    configurePayouts([]);
    await approvePayout(admin, id);
    await setStatus(grace, "suspended");
    configure(patienceMs);
    await sendNow();
    expect([await stateOf(id), fake.calls]).to.deep.equal([{ status: "approved", flag: null, failure: null }, []]);
    await setStatus(grace, "active");

    const erase = () => inTransaction((tx) => erasePayouts(tx, grace.id));
    expect([(await erase()) > 0, await erase()]).to.deep.equal([true, 0]);
    expect([(await stateOf(id))!.status, await available()]).to.deep.equal(["declined", before]);
    const kept = await query("SELECT FROM payouts WHERE user_id = $1 AND (details_sealed IS NOT NULL OR shown <> '')", [
      grace.id,
    ]);
    expect(kept).to.deep.equal([]);
  });

  it("are paid exactly once each under random troubles, webhooks, and stops, and nothing that is held is lost", async function () {
    this.timeout(60_000);
    configure(150);
    const before = await available();
    const ids = await Promise.all(Array.from({ length: 24 }, () => approved(1000)));
    const troubles: (PayoutTrouble | undefined)[] = ["fail", "hang", "lose the answer", "forbid", undefined, undefined];
    for (let n = 0; n < 60; n += 1) fake.troubles.push(troubles[Math.floor(Math.random() * troubles.length)]);
    const drained = async () => {
      await Promise.all([sendNow(), sendNow()]);
      for (const payout of fake.payouts) {
        if (Math.random() < 0.5) continue;
        payout.status =
          payout.status === "processing" ? (Math.random() < 0.8 ? "processed" : "reversed") : payout.status;
        await webhook(payout, Math.random() < 0.3 ? "processing" : payout.status);
      }
      if (fake.troubles.length === 0) configure(patienceMs);
      const open = await query("SELECT FROM payouts WHERE id = ANY ($1::uuid[]) AND status IN ('approved', 'sent')", [
        ids,
      ]);
      return open.length === 0;
    };
    await until("all are over", drained, 50_000);
    for (const id of ids) expect(fake.paidFor(id), id).to.have.length(1);
    const settled = await query("SELECT FROM payouts WHERE id = ANY ($1::uuid[]) AND status = 'settled'", [ids]);
    const paid = fake.payouts.filter(({ status }) => status === "processed");
    expect([settled.length, await available()]).to.deep.equal([paid.length, before - paid.length * 1000]);
  });
});
