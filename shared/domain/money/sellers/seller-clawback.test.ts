import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { listEntries } from "#shared/domain/money/ledger/ledger.queries.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buyStock } from "#shared/testing/earnings.ts";
import type { BuiltUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { StockScene } from "#shared/testing/stock-scene.ts";
import { reverseTransfer } from "./reverse-transfer.ts";

describe("a refund of a seller's stock", () => {
  const scene = StockScene.use();
  const events = usePublishedEvents();
  const { pass, give, refund, win, shown } = scene;
  let seller: BuiltUser;
  let ada: BuiltUser;
  let bob: BuiltUser;
  let host: BuiltUser;
  beforeEach(() => {
    [seller, ada, bob, host] = scene.people as [BuiltUser, BuiltUser, BuiltUser, BuiltUser];
  });

  it("takes their stock first, then what recipients hold, and leaves the rest as the seller's debt", async () => {
    const payment = await buyStock(seller.id, 100);
    await pass(ada, 50);
    await pass(bob, 30);
    await inTransaction((tx) =>
      grantCoins(tx, { by: service, kind: "adjustment", userId: bob.id, coins: -20, reason: "Spent" }),
    );
    await refund(payment, 20);
    expect(await shown(ada, bob)).to.deep.equal(["0 0", "50 50 0 0 0", "10 10 0 0 0"]);
    await refund(payment, 80);
    expect(await shown(ada, bob)).to.deep.equal(["0 20", "0 0 0 0 0", "0 0 0 0 0"]);
    const { items } = await listEntries(ada.id, { page: 1, limit: 10 });
    expect(items.map(({ type, amount, description }) => [type, amount, description])).to.deep.equal([
      ["seller_refund", 50, "Coins of a seller, taken back"],
      ["seller_transfer", 50, "Coins of a seller"],
    ]);
    // What the seller orders next pays the debt.
    await buyStock(seller.id, 50);
    expect(await shown()).to.deep.equal(["30 0"]);
  });

  it("stays with the seller if the settings say so", async () => {
    rememberSettings({ refund_clawback: "house" });
    const payment = await buyStock(seller.id, 100);
    await pass(ada, 100);
    await refund(payment);
    expect(await shown(ada)).to.deep.equal(["0 100", "100 100 0 0 0"]);
  });

  it("stays with the seller where the coins that they passed on count as granted", async () => {
    const payment = await buyStock(seller.id, 100);
    await pass(ada, 40);
    rememberSettings({ seller_coins_bought: false });
    await pass(bob, 60);
    await refund(payment, 70);
    expect(await shown(ada, bob)).to.deep.equal(["0 30", "0 0 0 0 0", "60 0 0 0 0"]);
  });

  it("follows what recipients gave away, to earnings, exchanged coins, and coins given on", async () => {
    const payment = await buyStock(seller.id, 1000);
    await pass(ada, 600);
    await pass(bob, 400);
    await give(ada, host, 100);
    await give(ada, bob, 500, scene.coining);
    await give(bob, host, 300);
    await exchangeEarnings(callerOf(host), 200);
    expect(await shown(ada, bob, host)).to.deep.equal(["0 0", "0 0 0 0 0", "350 350 0 0 0", "200 0 0 40 0"]);
    await refund(payment);
    // The house's parts of gifts are the debt of the seller, and of those who had the coins by a gift.
    expect(await shown(ada, bob, host)).to.deep.equal([
      `0 ${40 + 250 + 20}`,
      "0 0 0 0 0",
      "0 0 100 0 0",
      "200 0 0 0 200",
    ]);
  });

  it("concerns the transfers of this order, not of another", async () => {
    await buyStock(seller.id, 100);
    const second = await buyStock(seller.id, 100);
    await pass(ada, 100);
    const reversed = await pass(bob, 60);
    await reverseTransfer(scene.admin, reversed.id, "Wrong user");
    await pass(host, 100);
    await refund(second);
    expect(await shown(ada, bob, host)).to.deep.equal(["0 0", "100 100 0 0 0", "0 0 0 0 0", "0 0 0 0 0"]);
  });

  it("takes coins once: a transfer is reversed only as far as no refund has taken it back", async () => {
    const payment = await buyStock(seller.id, 100);
    const { id } = await pass(ada, 100);
    const some = await refund(payment, 30);
    expect(await shown(ada)).to.deep.equal(["0 0", "70 70 0 0 0"]);
    await reverseTransfer(scene.admin, id, "Stolen card");
    expect(await shown(ada)).to.deep.equal(["70 0", "0 0 0 0 0"]);
    await refund(payment, 70);
    expect(await shown()).to.deep.equal(["0 0"]);
    // What a won dispute gives to the recipient of a reversed transfer can be taken back, too.
    expect(await outcomeOf(reverseTransfer(scene.admin, id, "Stolen card"))).to.equal("CONFLICT");
    await win(some);
    expect(await shown(ada)).to.deep.equal(["0 0", "30 30 0 0 0"]);
    const atOnce = [1, 2, 3].map(() => outcomeOf(reverseTransfer(scene.admin, id, "Stolen card")));
    expect((await Promise.all(atOnce)).sort()).to.deep.equal(["CONFLICT", "CONFLICT", "ok"]);
    expect(await shown(ada)).to.deep.equal(["30 0", "0 0 0 0 0"]);

    await pass(host, 30);
    const other = await buyStock(seller.id, 10);
    const { id: whole } = await pass(bob, 10);
    await refund(other);
    expect(await outcomeOf(reverseTransfer(scene.admin, whole, "Stolen card"))).to.equal("CONFLICT");
  });

  it("is paid first by what a reversed transfer gives back", async () => {
    const payment = await buyStock(seller.id, 100);
    rememberSettings({ seller_coins_bought: false });
    const [first, second] = [await pass(ada, 60), await pass(bob, 40)];
    const refunded = await refund(payment, 70);
    expect(await shown(ada, bob)).to.deep.equal(["0 70", "60 0 0 0 0", "40 0 0 0 0"]);
    await reverseTransfer(scene.admin, first.id, "Wrong user");
    expect(await shown(ada, bob)).to.deep.equal(["0 10", "0 0 0 0 0", "40 0 0 0 0"]);
    await reverseTransfer(scene.admin, second.id, "Wrong user");
    expect(await shown(ada, bob)).to.deep.equal(["30 0", "0 0 0 0 0", "0 0 0 0 0"]);
    // A won dispute gives back what the debt was paid with.
    await win(refunded);
    expect(await shown()).to.deep.equal(["100 0"]);
  });

  it("pays other refunds' debts with what a won dispute gives back", async () => {
    const held = await refund(await buyStock(seller.id, 100));
    const payment = await buyStock(seller.id, 50);
    rememberSettings({ seller_coins_bought: false });
    await pass(ada, 50);
    const owed = await refund(payment);
    expect(await shown()).to.deep.equal(["0 50"]);
    await win(held);
    expect(await shown()).to.deep.equal(["50 0"]);
    await win(owed);
    expect(await shown()).to.deep.equal(["100 0"]);
  });

  it("tells the recipients from whose wallets it takes, and how much", async () => {
    const payment = await buyStock(seller.id, 100);
    const { id: transfer_id } = await pass(ada, 50);
    await pass(bob, 50);
    await give(bob, host, 50);
    await give(ada, host, 20);
    await refund(payment);
    const told = await events.of("seller.refunded", { seller_id: seller.id });
    expect(told.map(({ refund_id, ...one }) => [typeof refund_id, one])).to.deep.equal([
      ["string", { transfer_id, seller_id: seller.id, recipient_id: ada.id, coins: 30 }],
    ]);
  });

  it("is given back to all when it is reversed", async () => {
    const payment = await buyStock(seller.id, 101);
    await pass(ada, 60);
    await pass(bob, 41);
    await give(ada, host, 33);
    const before = await shown(ada, bob, host);
    const refunds = [];
    for (const amount of [7, 50, 44]) refunds.push(await refund(payment, amount));
    expect(await shown(ada, bob, host)).to.deep.equal(["0 13", ...Array(3).fill("0 0 0 0 0")]);
    for (const id of refunds.toReversed()) expect([await win(id), await win(id)]).to.deep.equal(["reversed", "seen"]);
    expect(await shown(ada, bob, host)).to.deep.equal(before);
    await refund(payment);
    expect(await shown(ada, bob, host)).to.deep.equal(["0 13", ...Array(3).fill("0 0 0 0 0")]);
  });

  it("changes nothing if its connection is killed before the commit, and all afterwards", async () => {
    const payment = await buyStock(seller.id, 100);
    await pass(ada, 100);
    const before = await shown(ada);
    const id = newId();
    const killed = inTransaction(async (tx) => {
      await refundPayment(tx, "sandbox", payment, { id, amount: 100 });
      await tx.query("SELECT pg_terminate_backend(pg_backend_pid())");
    });
    expect(await outcomeOf(killed)).not.to.equal("ok");
    expect(await shown(ada)).to.deep.equal(before);
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id, amount: 100 }))),
    );
    expect(outcomes.sort()).to.deep.equal(["refunded", "seen", "seen"]);
    expect(await shown(ada)).to.deep.equal(["0 0", "0 0 0 0 0"]);
  });
});
