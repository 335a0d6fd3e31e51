import { expect } from "chai";
import fc from "fast-check";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { lockWallets, type Transfer, transferAll } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { depositMoney, moneyOf, whilePrepaid } from "#shared/testing/balances.ts";
import { buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { act } from "#shared/testing/pay.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../catalogue-api.ts";

describe("prepaid balances", () => {
  const service = useService();
  const api = catalogueApi();
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  beforeEach("builds a reseller", async () => {
    reseller = await buildReseller({});
  });
  const get = async (path: string, token = reseller.token) =>
    (await clientOf(service.url, api)("get", path, { token })).body;
  const post = (path: string, body: object, key?: string) =>
    clientOf(service.url, api)("post", path, {
      token: reseller.token,
      body,
      headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    });
  const deposit = (form: object, key?: string) => post("/balance/deposits", form, key);
  const balances = async () => (await get("/balance")).message.balances;

  /** Sends a webhook of the sandbox, as its checkout page does. */
  async function send({ body, headers }: { body: string; headers: Record<string, string> }) {
    const response = await fetch(`${service.url}/api/v1/payments/webhook/sandbox`, { method: "POST", headers, body });
    expect(response.status).to.equal(200);
  }

  it("are funded through the payment provider, and pay orders", async () => {
    const topUp = await buildTopUp();
    const { message } = (await deposit({ amount: "50.00", currency: "USD" })).body;
    expect(message.deposit).to.include({ status: "created", amount: "50.00", currency: "USD", paid_at: null });
    expect(message.providerPayload).to.include({ amount: 5000, currency: "USD", description: "Deposit of 50.00 USD" });
    await send(await act(message.providerPayload.order_id, "pay"));

    const placed = await whilePrepaid(() => post("/top-up/make-order", orderOf(topUp)));

    const orderId = Number(/\d+/.exec(placed.body.message)![0]);
    expect((await get(`/balance/deposits/${message.deposit.id}`)).message.deposit).to.include({ status: "paid" });
    expect(await balances()).to.deep.equal([
      {
        ...{ currency: "USD", currency_symbol: "$", balance: "41.01", debt: "0.00" },
        ...{ credit_limit: "0.00", due: "0.00", overdue: "0.00" },
      },
    ]);
    expect((await get(`/orders/${orderId}`)).message.order).to.include({ payment: "prepaid", total: 8.99 });
    const { items, total } = (await get("/balance/movements?currency=USD")).message;
    expect(items.map(({ id, created_at, ...rest }: { id: string; created_at: string }) => rest)).to.deep.equal([
      {
        ...{ type: "catalogue_order", direction: "debit", currency: "USD", amount: "8.99", balance_after: "41.01" },
        ...{ order_id: orderId, description: `Order ${orderId}` },
      },
      {
        ...{ type: "deposit", direction: "credit", currency: "USD", amount: "50.00", balance_after: "50.00" },
        ...{ order_id: null, description: "Deposit of 50.00 USD" },
      },
    ]);
    expect(total).to.equal(2);
  });

  it("refuse an order that they are insufficient for, in a sentence", async () => {
    const topUp = await buildTopUp();

    const { status, body } = await whilePrepaid(() => post("/top-up/make-order", orderOf(topUp)));

    expect([status, body]).to.deep.equal([422, { status: "failed", errors: "The USD balance is insufficient." }]);
    expect((await get("/orders")).message.items).to.deep.equal([]);
    expect(await balances()).to.deep.equal([]);
  });

  it("are debited again when a deposit is refunded; what was spent is a debt, which the next deposit pays", async () => {
    const topUp = await buildTopUp();
    const { message } = (await deposit({ amount: 20, currency: "USD" })).body;
    await send(await act(message.providerPayload.order_id, "pay"));
    await whilePrepaid(() => post("/top-up/make-order", orderOf(topUp)));

    await send(await act(message.providerPayload.order_id, "refund"));
    const owing = await balances();
    await depositMoney(reseller.owner.id, "10");

    expect(owing[0]).to.include({ balance: "0.00", debt: "8.99" });
    expect((await balances())[0]).to.include({ balance: "1.01", debt: "0.00" });
    expect((await get(`/balance/deposits/${message.deposit.id}`)).message.deposit.status).to.equal("refunded");
    const { items } = (await get("/balance/movements?currency=USD")).message;
    expect(items.map(({ type, amount }: { type: string; amount: string }) => `${type} ${amount}`)).to.deep.equal([
      "refund 8.99",
      "deposit 10.00",
      "refund 11.01",
      "catalogue_order 8.99",
      "deposit 20.00",
    ]);
    expect(await differencesOf(reseller.owner.id)).to.deep.equal([]);
  });

  it("name each invalid field of a deposit", async () => {
    await buildTopUp({ service: { currency: "JPY" } });
    const [amount, currency] = ["The amount field is required.", "The currency field is required."];
    for (const [form, errors] of [
      [{}, [amount, currency]],
      [{ amount: "0", currency: "USD" }, [amount]],
      [{ amount: "-5", currency: "USD" }, [amount]],
      [{ amount: "1e3", currency: "USD" }, [amount]],
      [{ amount: 0.001, currency: "USD" }, [amount]],
      [{ amount: "1.5", currency: "JPY" }, [amount]],
      [{ amount: "1000000000", currency: "USD" }, [amount]],
      [{ amount: "5", currency: "usd" }, [currency]],
      [{ amount: "5", currency: "XTS" }, [currency]],
      [{ amount: ["5"], currency: "USD", more: 1 }, [amount, "The more field is not accepted."]],
    ] as const) {
      const { status, body } = await deposit(form);
      expect([status, body.errors], JSON.stringify(form)).to.deep.equal([422, errors]);
    }
    expect(await query("SELECT FROM payment_orders WHERE user_id = $1", [reseller.owner.id])).to.have.length(0);
  });

  it("answer nonsense with a failure, and store nothing", async () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.constantFrom("USD", "5", null, [], {}), fc.jsonValue());
    const forms = fc.dictionary(fc.constantFrom("amount", "currency", "idempotency_key", "constructor"), value);
    await fc.assert(
      fc.asyncProperty(forms, async (form) => {
        expect((await deposit({ ...form, nonsense: 1 })).status).to.equal(422);
      }),
      { numRuns: 25 },
    );
    expect(await query("SELECT FROM payment_orders WHERE user_id = $1", [reseller.owner.id])).to.have.length(0);
  });

  it("open one deposit for a key, in the header or the form, and show it to its owner only", async () => {
    await buildTopUp();
    const form = { amount: "5", currency: "USD" };

    const answers = [await deposit(form, "d-1"), await deposit({ ...form, idempotency_key: "d-1" })];
    const ids = answers.map(({ body }) => body.message.deposit.id);
    const other = await buildReseller({});

    expect(new Set(ids).size).to.equal(1);
    expect((await get(`/balance/deposits/${ids[0]}`, other.token)).status).to.equal("failed");
    expect((await deposit({ ...form, amount: "6" }, "d-1")).status).to.equal(422);
  });

  describe("as a statement", () => {
    /** Moves some of what was written to other times, as only a database administrator can. */
    async function movedTo(times: readonly string[]) {
      await query("ALTER TABLE ledger_entries DISABLE TRIGGER USER");
      try {
        for (const [index, time] of times.entries())
          await query("UPDATE ledger_entries SET created_at = $3 WHERE user_id = $1 AND asset = $4 AND entry_no = $2", [
            reseller.owner.id,
            index + 1,
            time,
            "USD",
          ]);
      } finally {
        await query("ALTER TABLE ledger_entries ENABLE TRIGGER USER");
      }
    }

    const csv = (search: string) => get(`/balance/statement?format=csv&${search}`) as unknown as Promise<string>;

    it("has the opening balance, each movement, and the closing balance of each currency", async () => {
      const topUp = await buildTopUp();
      const { id } = reseller.owner;
      for (const money of ["30", "20"]) await depositMoney(id, money);
      await depositMoney(id, "7000", "JPY");
      const placed = await whilePrepaid(() => post("/top-up/make-order", orderOf(topUp)));
      await movedTo(["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "2026-02-28T23:30:00Z"]);
      const order = /\d+/.exec(placed.body.message)![0];

      const february = await csv("month=2026-02");
      const [march, inIndia] = [
        await get("/balance/statement?month=2026-03"),
        await csv("month=2026-03&time_zone=Asia/Kolkata"),
      ];

      expect(february.split("\n")).to.deep.equal([
        "time,currency,type,description,order_id,credit,debit,balance",
        ",JPY,opening_balance,,,,,0",
        ",JPY,closing_balance,,,,,0",
        ",USD,opening_balance,,,,,30.00",
        "2026-02-01T00:00:00.000000Z,USD,deposit,Deposit,,20.00,,50.00",
        `2026-02-28T23:30:00.000000Z,USD,catalogue_order,Order ${order},${order},,8.99,41.01`,
        ",USD,closing_balance,,,,,41.01",
        "",
      ]);
      expect(march.message.balances[1]).to.deep.equal({
        ...{ currency: "USD", opening_balance: "41.01", credits: "0.00", debits: "0.00", closing_balance: "41.01" },
        movements: 0,
      });
      expect(inIndia).to.match(/,USD,opening_balance,,,,,50\.00\n2026-02-28T23:30:00.000000Z,USD,catalogue_order/);
    });

    it("has every movement of a busy month", async () => {
      const { id } = reseller.owner;
      await depositMoney(id, "1");
      const moved = (amount: number): Transfer => ({
        asset: "USD",
        by: serviceItself,
        reference: { type: "balance_adjustment", id: newId() },
        description: "A test",
        entries: [
          { account: { userId: id }, amount, type: "admin_adjustment" },
          { account: { house: "adjustments" }, amount: -amount, type: "admin_adjustment" },
        ],
      });
      await inTransaction(async (tx) =>
        transferAll(
          tx,
          [...Array(1100).keys()].map((index) => moved(100 + index)),
          await lockWallets(tx, [id], ["USD"]),
        ),
      );

      const lines = (await csv(`month=${new Date().toISOString().slice(0, 7)}`)).trim().split("\n");
      const { message } = await get(`/balance/statement?month=${new Date().toISOString().slice(0, 7)}`);

      expect([lines.length, lines.at(-1)]).to.deep.equal([1104, ",USD,closing_balance,,,,,72.445"]);
      expect(new Set(lines).size).to.equal(lines.length);
      expect(message.balances[0]).to.include({ movements: 1101, closing_balance: "72.445", credits: "72.445" });
    });

    it("escapes what a spreadsheet would run", async () => {
      await depositMoney(reseller.owner.id, "5");
      await query("ALTER TABLE ledger_movements DISABLE TRIGGER USER");
      await query(
        `UPDATE ledger_movements SET description = '=1+1' WHERE id IN (
           SELECT movement_id FROM ledger_entries WHERE user_id = $1)`,
        [reseller.owner.id],
      );
      await query("ALTER TABLE ledger_movements ENABLE TRIGGER USER");

      expect(await csv(`month=${new Date().toISOString().slice(0, 7)}`)).to.include(",deposit,'=1+1,");
      expect(await moneyOf(reseller.owner.id)).to.equal("5");
    });

    for (const search of ["", "month=2026-13", "month=0000-01", "month=2026-01&time_zone=Mars"])
      it(`refuses ${search || "no month"}`, async () => {
        expect((await get(`/balance/statement?${search}`)).status).to.equal("failed");
      });
  });
});
