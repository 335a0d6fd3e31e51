import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { isUnreachable } from "#shared/db/unavailable.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { orderDeposit } from "#shared/domain/catalogue/balances/order-deposit.ts";
import { showCode } from "#shared/domain/catalogue/codes/codes.ts";
import { createCustomerKey } from "#shared/domain/catalogue/customers/customers.ts";
import { decideOnCustomer, listCustomers, setCredit } from "#shared/domain/catalogue/customers/manage-customers.ts";
import { openOrdersMax as openDepositsMax } from "#shared/domain/money/payments/create-order.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { depositMoney, moneyOf } from "#shared/testing/balances.ts";
import { buildCard, buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { collectDue, openOrdersMax, reservedCodesMax } from "./credit.ts";
import { orderCard } from "./order-card.ts";
import { cancelOrder } from "./order-steps.ts";
import { placeOrder } from "./place-order.ts";

/** Builds a reseller, and a top-up of 10 USD. */
async function buildShop(credit: Readonly<Record<string, number>>) {
  const { caller } = await buildReseller(credit);
  const topUp = await buildTopUp({ service: { price: "10", discount: "0" } });
  return { caller, order: () => placeOrder(caller, orderOf(topUp)) };
}

const dueOf = async (userId: string) =>
  (await queryOne<{ due: number }>(
    `SELECT due / 10000 AS due FROM catalogue_credit c JOIN catalogue_customers k ON k.id = c.customer_id
     WHERE k.user_id = $1 AND c.currency = 'USD'`,
    [userId],
  ))!.due;

const passDays = (userId: string, days: number) =>
  query(
    `UPDATE catalogue_orders SET due_at = due_at - $2 * interval '1 day', created_at = created_at - $2 * interval '1 day'
     WHERE customer_id = (SELECT id FROM catalogue_customers WHERE user_id = $1)`,
    [userId, days],
  );

const idOf = async (userId: string) =>
  (await queryOne<{ id: number }>("SELECT id FROM catalogue_customers WHERE user_id = $1", [userId]))!.id;

const buildCaller = async () => ({ ...adminCaller(), adminId: (await buildAdmin()).id });

describe("credit of resellers", () => {
  useService();

  it("places nothing without credit and without a balance", async () => {
    const { caller, order } = await buildShop({});

    expect(await outcomeOf(order())).to.equal("INSUFFICIENT_BALANCE");
    expect(await query("SELECT FROM catalogue_orders WHERE customer_id = $1", [await idOf(caller.userId)])).to.be.empty;
  });

  it("reserves no code beyond the credit limit", async () => {
    const { caller } = await buildReseller({ USD: 25 });
    const card = await buildCard({ codes: 5 });

    const outcomes = [];
    for (let n = 0; n < 5; n += 1) outcomes.push(await outcomeOf(orderCard(caller, card.form)));

    expect(outcomes).to.deep.equal(["ok", "ok", ...Array(3).fill("INSUFFICIENT_BALANCE")]);
    const taken = await query("SELECT FROM catalogue_codes WHERE service_id = $1 AND order_id IS NOT NULL", [
      card.serviceId,
    ]);
    expect(taken).to.have.length(2);
  });

  it("keeps 500 orders at once within the limit", async () => {
    const { caller, order } = await buildShop({ USD: 205 });

    /** On a slow machine, some of so many wait too long for a connection, and try again as clients do. */
    const place = (): Promise<number> =>
      order().catch((error: unknown) => {
        if (!isUnreachable(error)) throw error;
        return place();
      });

    const outcomes = await Promise.all(Array.from({ length: 500 }, () => outcomeOf(place())));

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(20);
    expect(new Set(outcomes)).to.deep.equal(new Set(["ok", "INSUFFICIENT_BALANCE"]));
    expect(await dueOf(caller.userId)).to.equal(200);
  }).timeout(60_000);

  it("pays from the balance what credit doesn't cover", async () => {
    const { caller, order } = await buildShop({ USD: 15 });
    await depositMoney(caller.userId, "12");

    expect([await outcomeOf(order()), await outcomeOf(order()), await outcomeOf(order())]).to.deep.equal([
      "ok",
      "ok",
      "INSUFFICIENT_BALANCE",
    ]);
    expect(await moneyOf(caller.userId)).to.equal("2");
  });

  it("gives back the credit of a cancelled order, once", async () => {
    const { caller, order } = await buildShop({ USD: 20 });
    const id = await order();

    for (let n = 0; n < 2; n += 1) await inTransaction((tx) => cancelOrder(tx, service, id, "No such player"));

    expect(await dueOf(caller.userId)).to.equal(0);
    expect(await moneyOf(caller.userId)).to.equal(undefined);
  });

  it("blocks orders while others are overdue, and pays them from a deposit", async () => {
    const { caller, order } = await buildShop({ USD: 100 });
    const late = await order();
    await passDays(caller.userId, 31);

    expect(await outcomeOf(order())).to.equal("CONFLICT");
    await depositMoney(caller.userId, "10");
    expect(await outcomeOf(order())).to.equal("ok");
    expect(await dueOf(caller.userId)).to.equal(10);
    expect(await moneyOf(caller.userId)).to.equal("0");
    await inTransaction((tx) => cancelOrder(tx, service, late, "Late"));
    expect(await moneyOf(caller.userId)).to.equal("10");
  });

  it("reminds a customer of overdue orders once a week", async () => {
    const { caller, order } = await buildShop({ USD: 100 });
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [caller.userId]);
    await order();
    await passDays(caller.userId, 31);
    const reminders = async () =>
      (
        await query("SELECT FROM pgboss.job WHERE name = 'catalogue.reminder' AND data->>'user_id' = $1", [
          caller.userId,
        ])
      ).length;

    await collectDue();
    await collectDue();
    expect(await reminders()).to.equal(1);
    await query("UPDATE catalogue_customers SET reminded_at = now() - interval '8 days' WHERE user_id = $1", [
      caller.userId,
    ]);
    await collectDue();
    expect(await reminders()).to.equal(2);
    const { email } = (await queryOne<{ email: string }>("SELECT email FROM users WHERE id = $1", [caller.userId]))!;
    expect((await messagesTo(email, 1))[0]!.text).to.include("you owe 10 USD");
  });

  it("ends the reservation of a code whose order isn't completed", async () => {
    const { caller } = await buildReseller();
    const card = await buildCard({ card: { instant_delivery: 0 } });
    await orderCard(caller, card.form);
    await passDays(caller.userId, 4);

    await collectDue();

    const [order] = await query("SELECT status FROM catalogue_orders WHERE card_id = $1", [card.id]);
    expect(order).to.deep.equal({ status: "cancelled" });
    expect(
      await query("SELECT FROM catalogue_codes WHERE service_id = $1 AND order_id IS NULL", [card.serviceId]),
    ).to.have.length(1);
    expect(await dueOf(caller.userId)).to.equal(0);
  });

  it("bounds open orders and reserved codes of a customer", async () => {
    const { caller, order } = await buildShop({ USD: 1_000_000 });
    const card = await buildCard({ card: { instant_delivery: 0 }, codes: 2 });
    const first = await orderCard(caller, card.form);
    const repeat = (id: number, times: number) =>
      query(
        `INSERT INTO catalogue_orders (customer_id, top_up_id, service_id, card_id, card_service_id, product_name, service_name,
           payment, currency, price, discount, discount_type, discounted_amount, total)
         SELECT customer_id, top_up_id, service_id, card_id, card_service_id, product_name, service_name, payment, currency,
           price, discount, discount_type, discounted_amount, total
         FROM catalogue_orders, generate_series(1, $2) WHERE id = $1`,
        [id, times],
      );

    await repeat(first, reservedCodesMax - 1);
    expect(await outcomeOf(orderCard(caller, card.form))).to.equal("CONFLICT");
    const topUpOrder = await order();
    await repeat(topUpOrder, openOrdersMax - reservedCodesMax - 1);
    expect(await outcomeOf(order())).to.equal("CONFLICT");
  });

  it("bounds the deposits of a customer that wait for their payment", async () => {
    const { caller } = await buildReseller();
    await buildTopUp();
    const deposit = () => outcomeOf(orderDeposit(caller, { amount: "10", currency: "USD" }));

    const outcomes = [];
    for (let n = 0; n <= openDepositsMax; n += 1) outcomes.push(await deposit());

    expect(outcomes).to.deep.equal([...Array(openDepositsMax).fill("ok"), "RATE_LIMITED"]);
  });
});

describe("customers of the catalogue", () => {
  useService();

  before(() => changeSettings(service, { catalogue_auto_approval: false }));
  after(() => changeSettings(service, { catalogue_auto_approval: true }));

  it("gives keys and orders only to approved customers", async () => {
    const person = await buildUser();
    const key = () => createCustomerKey(callerOf(person), { name: "Shop", allowed_addresses: [] });
    const topUp = await buildTopUp();
    const order = () => placeOrder({ kind: "key_holder", keyId: person.id, userId: person.id }, orderOf(topUp));

    expect([await outcomeOf(key()), await outcomeOf(order())]).to.deep.equal(["FORBIDDEN", "FORBIDDEN"]);
  });

  it("stops the orders and keys of a suspended customer", async () => {
    const { owner, caller } = await buildReseller();
    const topUp = await buildTopUp();
    const bought = await orderCard(caller, (await buildCard()).form);

    await decideOnCustomer(await buildCaller(), { id: await idOf(owner.id), status: "suspended", reason: "Unpaid" });

    expect(await outcomeOf(placeOrder(caller, orderOf(topUp)))).to.equal("FORBIDDEN");
    expect(await outcomeOf(showCode(caller, bought, "key"))).to.equal("FORBIDDEN");
    expect(await outcomeOf(createCustomerKey(callerOf(owner), { name: "Shop", allowed_addresses: [] }))).to.equal(
      "FORBIDDEN",
    );
  });

  it("lets an administrator set a credit limit, and find the customer", async () => {
    const { owner } = await buildReseller({});
    const admin = await buildCaller();
    const id = await idOf(owner.id);

    const set = await setCredit(admin, { id, currency: "USD", credit_limit: "12.50" });
    const again = await setCredit(admin, { id, currency: "USD", credit_limit: "20" });

    expect(set.credit).to.deep.equal([{ currency: "USD", credit_limit: "12.5", due: "0" }]);
    expect(again.credit).to.deep.equal([{ currency: "USD", credit_limit: "20", due: "0" }]);
    const { items } = await listCustomers({ user_id: owner.id, status: "approved" }, { page: 1, limit: 10 });
    expect(items.map((item) => item.id)).to.deep.equal([id]);
    expect(await outcomeOf(decideOnCustomer(admin, { id, status: "approved" }))).to.equal("CONFLICT");
  });
});
