import { expect } from "chai";
import pLimit from "p-limit";
import { service } from "#shared/contracts/principal.ts";
import { hashRequest } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { openOrdersMax } from "#shared/domain/money/payments/create-order.ts";
import { depositMoney, moneyOf, whilePrepaid } from "#shared/testing/balances.ts";
import { buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { cancelOrder } from "./order-steps.ts";
import { refundOrder } from "./pay-order.ts";
import { placeOrder } from "./place-order.ts";

/** The price of a service of these tests: no discount. */
const price = "2.5";

describe("prepaid orders", () => {
  useService();

  async function scene({ balance }: { balance: string }) {
    const [{ caller }, topUp] = await Promise.all([buildReseller(), buildTopUp({ service: { price, discount: "0" } })]);
    await depositMoney(caller.userId, balance);
    const order = (key?: string) =>
      placeOrder(
        caller,
        orderOf(topUp),
        key === undefined ? key : { scope: `${caller.keyId} order`, key, requestHash: hashRequest(topUp.id) },
      );
    const count = async () => (await query("SELECT FROM catalogue_orders WHERE top_up_id = $1", [topUp.id])).length;
    const cancel = (id: number) => inTransaction((tx) => cancelOrder(tx, service, id, "No such player"));
    return { caller, topUp, order, count, cancel, userId: caller.userId };
  }

  it("are exactly fifty of 200 concurrent ones on a balance for 50", async () => {
    const { order, count, userId } = await scene({ balance: "126.00" });
    const limit = pLimit(40);

    const outcomes = await whilePrepaid(() =>
      Promise.all(Array.from({ length: 200 }, () => limit(() => outcomeOf(order())))),
    );

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(50);
    expect(outcomes.filter((outcome) => outcome === "INSUFFICIENT_BALANCE")).to.have.length(150);
    expect([await count(), await moneyOf(userId)]).to.deep.equal([50, "1"]);
    expect(await differencesOf(userId)).to.deep.equal([]);
  });

  it("are paid once for concurrent calls with one key", async () => {
    const { order, count, userId } = await scene({ balance: "10" });

    const ids = await whilePrepaid(() => Promise.all(Array.from({ length: 10 }, () => order("shop-1"))));

    expect([new Set(ids).size, await count(), await moneyOf(userId)]).to.deep.equal([1, 1, "7.5"]);
  });

  it("are placed and paid, or neither, when connections are cut in between", async () => {
    const { order, count, userId } = await scene({ balance: "250" });
    const limit = pLimit(10);
    let isDone = false;
    const cut = async () => {
      let cuts = 0;
      while (!isDone)
        cuts += (
          await query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE pid <> pg_backend_pid() AND datname = current_database() AND xact_start IS NOT NULL
               AND query ~ 'INSERT INTO (catalogue_payments|ledger_entries)' LIMIT 1`,
          )
        ).length;
      return cuts;
    };

    const [outcomes, cuts] = await whilePrepaid(() =>
      Promise.all([
        Promise.all(Array.from({ length: 60 }, () => limit(() => outcomeOf(order())))).finally(() => {
          isDone = true;
        }),
        cut(),
      ]),
    );

    const placed = await count();
    expect(cuts).to.be.greaterThan(0);
    expect(placed).to.be.at.least(outcomes.filter((outcome) => outcome === "ok").length);
    expect(await moneyOf(userId)).to.equal(`${250 - 2.5 * placed}`);
    expect(await differencesOf(userId)).to.deep.equal([]);
  });

  it("need a balance in their own currency", async () => {
    const { caller, order } = await scene({ balance: "10" });
    const inEuros = await buildTopUp({ service: { price, discount: "0", currency: "EUR" } });

    const [refused, message] = await whilePrepaid(async () => {
      const error = await placeOrder(caller, orderOf(inEuros)).catch((e) => e);
      return [error.code, error.message];
    });
    await whilePrepaid(order);

    expect(refused).to.equal("INSUFFICIENT_BALANCE");
    expect(message).to.equal("The EUR balance is insufficient.");
    expect([await moneyOf(caller.userId), await moneyOf(caller.userId, "EUR")]).to.deep.equal(["7.5", undefined]);
  });

  it("of nothing, and postpaid ones, move no money", async () => {
    const { caller, order, cancel } = await scene({ balance: "1" });
    const free = await buildTopUp({ service: { discount: "100" } });
    const dear = await buildTopUp({ service: { price: "999999999999.9999", discount: "0" } });
    const placeAt = (topUp: typeof free) => placeOrder(caller, orderOf(topUp));

    const given = await whilePrepaid(() => placeAt(free));
    const postpaid = await order();
    const tooDear = await whilePrepaid(() => outcomeOf(placeAt(dear)));
    for (const id of [given, postpaid]) expect(await cancel(id)).to.equal(true);

    expect(tooDear).to.equal("INSUFFICIENT_BALANCE");
    expect(await moneyOf(caller.userId)).to.equal("1");
    expect(await query("SELECT FROM catalogue_payments WHERE order_id = ANY ($1)", [[given, postpaid]])).to.have.length(
      0,
    );
  });

  it("are refunded once, however often they are cancelled or refunded", async () => {
    const { order, cancel, userId } = await scene({ balance: "5" });
    const id = await whilePrepaid(order);

    const cancelled = await Promise.all(Array.from({ length: 8 }, () => cancel(id)));
    const again = await inTransaction((tx) => refundOrder(tx, service, id));

    expect([cancelled.filter(Boolean).length, again, await moneyOf(userId)]).to.deep.equal([1, false, "5"]);
    expect(await differencesOf(userId)).to.deep.equal([]);
  });

  it("conserve money over orders, cancellations, deposits and refunds in any order, many at once", async () => {
    const { order, cancel, userId } = await scene({ balance: "20" });
    const placed: number[] = [];
    const deposits: Awaited<ReturnType<typeof depositMoney>>[] = [];
    const depositing = pLimit(openOrdersMax);
    const acts = [
      async () => placed.push(await order()),
      async () => placed.push(await order()),
      async () => {
        const id = placed.pop();
        if (id) await cancel(id);
      },
      async () => deposits.push(await depositing(() => depositMoney(userId, "3.33"))),
      async () => {
        await deposits.pop()?.refund(111);
      },
    ];
    const limit = pLimit(12);

    const outcomes = await whilePrepaid(() =>
      Promise.all(
        Array.from({ length: 150 }, () => limit(() => outcomeOf(acts[Math.floor(Math.random() * acts.length)]!()))),
      ),
    );

    expect([...new Set(outcomes)].filter((one) => !["ok", "INSUFFICIENT_BALANCE"].includes(one))).to.deep.equal([]);
    expect(Number(await moneyOf(userId))).to.be.at.least(0);
    expect(await differencesOf(userId)).to.deep.equal([]);
  });
});
