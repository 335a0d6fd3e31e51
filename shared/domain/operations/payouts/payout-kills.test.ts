import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { databaseUrl } from "#shared/db/database-address.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { getEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { configurePayouts } from "#shared/domain/money/payouts/payouts.config.ts";
import { makeRazorpayX } from "#shared/domain/money/payouts/providers/razorpayx.ts";
import { makeSandboxPayouts } from "#shared/domain/money/payouts/providers/sandbox-payouts.ts";
import { requestPayout } from "#shared/domain/money/payouts/request-payout.ts";
import { compileCache } from "#shared/testing/compile-cache.ts";
import { useDatabase } from "#shared/testing/database.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { FakeRazorpayX } from "#shared/testing/fakes/fake-razorpayx.ts";
import { sandboxSecrets } from "#shared/testing/fakes/sandbox-payments.ts";
import { buildEarner, buildPayoutMethod, retirePayoutMethods, sendNow } from "#shared/testing/payouts.ts";
import { callerOf } from "#shared/testing/people.ts";
import "#shared/testing/access/access-tokens.ts";

const dying = fileURLToPath(import.meta.resolve("#shared/testing/fakes/die-while-paying.ts"));
const amount = 1000;

interface Kill {
  readonly moment: "register" | "before" | "after" | "sent" | "settled" | "returned";
  /** What the provider makes of the payout, and of one that it has when the process asks. */
  readonly first: "processing" | "processed";
  readonly later?: "processed" | "reversed";
  /** What is left of the killed process: where the earnings are, and how many payments. */
  readonly left: readonly [house: "payouts_held" | "payouts_sent", payments: number];
  readonly end: "settled" | "returned";
}

const kills: Readonly<Record<string, Kill>> = {
  "before the account is registered": {
    ...{ moment: "register", first: "processed", left: ["payouts_held", 0], end: "settled" },
  },
  "between recording that it asks and asking": {
    ...{ moment: "before", first: "processed", left: ["payouts_held", 0], end: "settled" },
  },
  "after the provider has paid, without its answer": {
    ...{ moment: "after", first: "processed", left: ["payouts_held", 1], end: "settled" },
  },
  "while it records that it was sent": {
    ...{ moment: "sent", first: "processing", later: "processed", left: ["payouts_held", 1], end: "settled" },
  },
  "while it records that it has arrived at once": {
    ...{ moment: "settled", first: "processed", left: ["payouts_held", 1], end: "settled" },
  },
  "while it records that it has arrived later": {
    ...{ moment: "settled", first: "processing", later: "processed", left: ["payouts_sent", 1], end: "settled" },
  },
  "while it records that it has come back": {
    ...{ moment: "returned", first: "processing", later: "reversed", left: ["payouts_sent", 1], end: "returned" },
  },
};

describe("a payout whose process is killed", () => {
  useDatabase();
  let fake: FakeRazorpayX;
  let grace: BuiltUser;
  let planted: string[];

  before(async () => {
    planted = await findDifferences();
    rememberSettings({ earnings_maturing_days: 0 });
    fake = await FakeRazorpayX.start();
    await buildPayoutMethod();
    grace = await buildEarner(amount * Object.keys(kills).length);
  });
  after(async () => {
    await fake.stop();
    rememberSettings({ earnings_maturing_days: settingDefault("earnings_maturing_days") });
    await retirePayoutMethods();
  });
  beforeEach(() => configurePayouts([makeRazorpayX(fake.credentials)]));
  after(() => configurePayouts([makeSandboxPayouts(sandboxSecrets.webhookSecrets)]));

  /** Requests a payout, and approves it as an administrator does. */
  async function approved(): Promise<string> {
    const { id } = await requestPayout(callerOf(grace), { amount, method: { kind: "upi", vpa: "grace@okaxis" } });
    await query("UPDATE payouts SET status = 'approved', next_try_at = now() WHERE id = $1", [id]);
    return id;
  }
  async function killAt(moment: string): Promise<void> {
    await query("UPDATE payouts SET next_try_at = now() WHERE next_try_at IS NOT NULL");
    const child = spawn(process.execPath, [dying, databaseUrl(), JSON.stringify(fake.credentials), moment], {
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
      stdio: "inherit",
    });
    const [, signal] = await once(child, "exit");
    expect(signal).to.equal("SIGKILL");
  }
  /** Returns where the earnings of a payout are, and how many times it was paid. */
  async function stateOf(id: string): Promise<[house: string | null, payments: number]> {
    const step = await queryOne<{ house: string | null }>(
      "SELECT to_house AS house FROM payout_steps WHERE payout_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1",
      [id],
    );
    return [step!.house, fake.paidFor(id).length];
  }
  const expectWhole = async () =>
    expect((await findDifferences()).filter((text) => !planted.includes(text))).to.deep.equal([]);

  for (const [when, { moment, first, later, left, end }] of Object.entries(kills))
    it(`is paid once, and its earnings are never lost: ${when}`, async () => {
      const { balance } = await getEarnings(grace.id);
      fake.payoutsAre = { status: first };
      const id = await approved();
      if (left[0] === "payouts_sent") {
        await sendNow();
        fake.paidFor(id)[0]!.status = later!;
      }
      await killAt(moment);
      expect(await stateOf(id)).to.deep.equal(left);
      expect((await getEarnings(grace.id)).balance).to.equal(balance - amount);
      await expectWhole();

      for (const payout of fake.paidFor(id)) payout.status = later ?? first;
      await sendNow();
      await sendNow();
      const ended = await queryOne("SELECT status, flag FROM payouts WHERE id = $1", [id]);
      expect(ended).to.deep.equal({ status: end, flag: null });
      expect(await stateOf(id)).to.deep.equal([end === "settled" ? "paid_out" : null, 1]);
      const asked = fake.calls.filter(({ call, body }) => call === "POST payouts" && body.reference_id === id);
      expect(asked).to.have.length(1);
      expect((await getEarnings(grace.id)).balance).to.equal(end === "settled" ? balance - amount : balance);
      await expectWhole();
    });
});
