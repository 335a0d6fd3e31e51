import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { restoredMax } from "#shared/domain/money/stores/restore-purchases.ts";
import { clock, daysMs, minutesMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useApple } from "#shared/testing/fakes/apple-scene.ts";
import { FakeApple } from "#shared/testing/fakes/fake-apple.ts";
import { type Forgeries, forgeriesOf } from "#shared/testing/forged-receipts.ts";

/** What Apple has signed of a purchase that isn't one of this app, this environment, this user, or this world. */
const wrongPayloads: Readonly<Record<string, object>> = {
  "another app": { bundleId: "com.example.other" },
  "an app of another case": { bundleId: "COM.EXAMPLE.APP" },
  "an app whose name begins alike": { bundleId: "com.example.app.free" },
  "no app": { bundleId: undefined },
  production: { environment: "Production" },
  Xcode: { environment: "Xcode" },
  "local testing": { environment: "LocalTesting" },
  "an environment of another case": { environment: "sandbox" },
  "no environment": { environment: undefined },
  "another account": { appAccountToken: newId() },
  "no transaction": { transactionId: undefined },
  "an empty transaction": { transactionId: "" },
  "a long transaction": { transactionId: "2".repeat(65) },
  "a transaction with spaces": { transactionId: "2 OR 1" },
  "a transaction that is a number": { transactionId: 2_000_000 },
  "no product": { productId: undefined },
  "an unknown product": { productId: "com.example.coins.million" },
  "a product with NUL": { productId: "com.example\u0000" },
  "no time of purchase": { purchaseDate: undefined },
  "a purchase at no time": { purchaseDate: 9e15 },
  "a time of purchase that is text": { purchaseDate: "2026-11-01" },
  "no time of the signature": { signedDate: undefined },
  "a signature in six minutes": { signedDate: Date.now() + minutesMs(6) },
  "a signature tomorrow": { signedDate: Date.now() + daysMs(1) },
  "a signature in a year": { signedDate: Date.now() + daysMs(365) },
  "a signature before its certificate": { signedDate: Date.now() - daysMs(900) },
  "none of it": { quantity: 0 },
  "less than none": { quantity: -1 },
  "half of one": { quantity: 1.5 },
  "a thousand and one": { quantity: 1001 },
  "more than numbers have": { quantity: 1e300 },
  "a quantity that is text": { quantity: "2" },
  "a negative price": { price: -9990 },
  "a price above all": { price: 1e18 },
  "a price that is text": { price: "9990" },
  "a currency that isn't": { currency: "usd" },
  "a currency with a quote": { currency: "U'D" },
  "a subscription without an end": { type: "Auto-Renewable Subscription" },
  "a subscription that ends at its beginning": {
    type: "Auto-Renewable Subscription",
    purchaseDate: 1_790_000_000_000,
    expiresDate: 1_790_000_000_000,
  },
  "a subscription that ended before": {
    type: "Auto-Renewable Subscription",
    expiresDate: Date.now() - daysMs(4),
  },
};

describe("forged receipts", () => {
  const apple = useApple();
  let forgeries: Forgeries;
  let tried = 0;
  before(async () => {
    forgeries = await forgeriesOf(apple.fake, await FakeApple.start());
  });

  const credited = async (user: BuiltUser, transactionId: unknown) => ({
    coins: await apple.creditOf(user.id),
    orders: (await query("SELECT 1 FROM payment_orders WHERE user_id = $1", [user.id])).length,
    rows: (await query("SELECT 1 FROM store_purchases WHERE transaction_id = $1", [String(transactionId)])).length,
  });
  const nothing = { coins: 0, orders: 0, rows: 0 };

  /** Tries each forgery of the same purchase. Returns those that weren't refused, or were worth something. */
  async function believed(
    all: Iterable<readonly [string, () => Promise<{ status: number }>]>,
    user: BuiltUser,
    transactionId: unknown,
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const [name, attempt] of all) {
      tried += 1;
      const { status } = await attempt();
      if (![400, 404, 409, 413, 422].includes(status)) wrong.push(`${name}: ${status}`);
      expect(await credited(user, transactionId), name).to.deep.equal(nothing);
    }
    return wrong;
  }

  it("credit nothing when an app presents them", async () => {
    const { user, transaction } = await apple.bought();
    const attempts = Object.entries(forgeries).map(
      ([name, forge]) => [name, async () => apple.present(user, await forge(transaction))] as const,
    );
    expect(await believed(attempts, user, transaction.transactionId)).to.deep.equal([]);
  });

  it("credit nothing when they are restored", async () => {
    const { user, transaction } = await apple.bought();
    const made = await Promise.all(
      Object.entries(forgeries).map(async ([name, forge]) => [name, await forge(transaction)]),
    );
    const wrong: string[] = [];
    for (let from = 0; from < made.length; from += restoredMax) {
      const signed_transactions = made.slice(from, from + restoredMax).map(([, signed]) => signed);
      const body = { store: "apple", signed_transactions };
      const { body: answer } = await apple.service.call("post", "/payments/restore", { token: user.token, body });
      tried += signed_transactions.length;
      for (const [at, { error }] of answer.data.entries())
        if (error !== "PAYMENT_SIGNATURE_INVALID") wrong.push(`${made[from + at]![0]}: ${error}`);
    }
    expect(wrong).to.deep.equal([]);
    expect(await credited(user, transaction.transactionId)).to.deep.equal(nothing);
  });

  it("credit nothing as notices", async () => {
    const { user, transaction } = await apple.bought();
    const notice = await apple.fake.notice("ONE_TIME_CHARGE", { transaction });
    const attempts = Object.entries(forgeries).map(
      ([name, forge]) => [name, async () => apple.tellSigned(await forge(notice))] as const,
    );
    expect(await believed(attempts, user, transaction.transactionId)).to.deep.equal([]);
  });

  it("credit nothing inside of notices that Apple has signed", async () => {
    const { user, transaction } = await apple.bought();
    const attempts = Object.entries(forgeries).map(
      ([name, forge]) =>
        [
          name,
          async () => apple.tell("ONE_TIME_CHARGE", { data: { signedTransactionInfo: await forge(transaction) } }),
        ] as const,
    );
    expect(await believed(attempts, user, transaction.transactionId)).to.deep.equal([]);
  });

  it("credit nothing when they are signed by Apple for something else", async () => {
    const wrong: string[] = [];
    for (const [name, change] of Object.entries(wrongPayloads)) {
      const { user, transaction } = await apple.bought(change);
      const present = [name, () => apple.presentTransaction(user, transaction)] as const;
      wrong.push(...(await believed([present], user, "none")));
    }
    expect(wrong).to.deep.equal([]);
  });

  it("credit nothing when another kind of what Apple signs is presented, or an old one", async () => {
    const { user, transaction } = await apple.bought();
    const { fake } = apple;
    const notice = await fake.notice("ONE_TIME_CHARGE", { transaction });
    const renewal = {
      originalTransactionId: transaction.transactionId,
      environment: "Sandbox",
      signedDate: clock.now(),
    };
    const tellOther = async (data: object) =>
      apple.tellSigned(await fake.sign({ ...notice, data: { ...(notice.data as object), ...data } }));
    const legacy = { notification_type: "DID_RENEW", password: "secret", unified_receipt: { latest_receipt: "AAAA" } };
    const attempts = [
      ["a notice as a transaction", async () => apple.present(user, await fake.sign(notice))],
      ["a renewal as a transaction", async () => apple.present(user, await fake.sign(renewal))],
      ["a transaction as a notice", async () => apple.tellSigned(await fake.sign(transaction))],
      ["a notice for another app", () => tellOther({ bundleId: "com.example.other" })],
      ["a notice of production", () => tellOther({ environment: "Production" })],
      ["a notice without data", async () => apple.tellSigned(await fake.sign({ ...notice, data: undefined }))],
      [
        "a notice from the future",
        async () => apple.tellSigned(await fake.sign({ ...notice, signedDate: clock.now() + daysMs(1) })),
      ],
      [
        "a renewal in place of the transaction",
        async () => tellOther({ signedTransactionInfo: await fake.sign(renewal) }),
      ],
      ["an old notice", () => apple.service.call("post", "/payments/webhook/apple", { body: legacy })],
      ["an old receipt", () => apple.present(user, "MIIT0gYJKoZIhvcNAQcCoIITwzCCE78CAQExCzAJBgUrDgMCGgUA")],
      ["more than a notice has", () => apple.tellSigned("e".repeat(65_001))],
    ] as const;
    expect(await believed(attempts, user, transaction.transactionId)).to.deep.equal([]);
  });

  it("include the receipts of others, before and after their owners present them, also signed again", async () => {
    const [{ user, transaction }, thief] = [await apple.bought(), await buildUser()];
    const resigned = { ...transaction, signedDate: clock.now() };
    const steal = (what: object) => ["a receipt of another", () => apple.presentTransaction(thief, what)] as const;
    const wrong = await believed([steal(transaction)], thief, "none");
    await apple.presentTransaction(user, transaction);
    wrong.push(...(await believed([steal(transaction), steal(resigned)], thief, "none")));
    await apple.presentTransaction(user, resigned);
    await apple.tell("ONE_TIME_CHARGE", { transaction: resigned });
    expect([wrong, await apple.creditOf(user.id)]).to.deep.equal([[], 600]);
    expect(tried).to.be.at.least(300);
  });
});
