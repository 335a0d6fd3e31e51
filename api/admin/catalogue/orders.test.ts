import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { showCode } from "#shared/domain/catalogue/codes/codes.ts";
import { configureFulfilment } from "#shared/domain/catalogue/orders/fulfilment/fulfil-order.ts";
import { sandboxProvider } from "#shared/domain/catalogue/orders/fulfilment/sandbox.ts";
import { orderCard } from "#shared/domain/catalogue/orders/order-card.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildCard, buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("the orders of the catalogue for administrators", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  before(async () => {
    admin = await buildAdmin([
      "catalogue_orders.read",
      "catalogue_orders.write",
      "catalogue_codes.read",
      "catalogue_codes.write",
    ]);
  });
  beforeEach(async () => {
    reseller = await buildReseller();
  });
  after(() => configureFulfilment(undefined));

  const get = async (path: string) => (await service.admin("get", path, { token: admin.token })).body;
  const act = (id: number, verb: string, body: object = {}, headers: Record<string, string> = {}) =>
    service.admin("post", `/catalogue/orders/${id}/${verb}`, { token: admin.token, body, headers });
  const complete = (id: number, more: object = {}, headers = {}) =>
    act(id, "complete", { delivery: "Sent to the player.", ...more }, headers);
  const cancel = (id: number, more: object = {}, headers = {}) =>
    act(id, "cancel", { reason: "Unknown player.", ...more }, headers);
  const topUpOrder = async (parts: Parameters<typeof buildTopUp>[0] = {}, player = "1234") => {
    const topUp = await buildTopUp(parts);
    return { topUp, id: await placeOrder(reseller.caller, { ...orderOf(topUp), Player_Id: player }) };
  };
  const cardOrder = async () => {
    const card = await buildCard({ card: { instant_delivery: 0 } });
    return { card, id: await orderCard(reseller.caller, card.form) };
  };
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof act>>) => (status === 200 ? "ok" : body.error.code);

  it("are listed by status, owner, product, and time, and downloaded without what was entered", async () => {
    const { id, topUp } = await topUpOrder({}, "secret-player");
    const owner = `user_id=${reseller.owner.id}`;
    const listed = async (filter: string) =>
      (await get(`/catalogue/orders?${filter}`)).data.items.map((item: { id: number }) => item.id);

    for (const filter of [
      owner,
      `${owner}&status=placed`,
      `top_up_id=${topUp.id}`,
      `${owner}&from=2020-01-01T00:00:00.000Z`,
    ])
      expect(await listed(filter), filter).to.deep.equal([id]);
    for (const filter of ["status=completed", "card_id=1", "has_problem=true", "to=2020-01-01T00:00:00.000Z"])
      expect(await listed(`${owner}&${filter}`), filter).to.deep.equal([]);
    expect(String(await get(`/catalogue/orders?${owner}&format=csv`)))
      .to.include("100 gems")
      .and.not.include("secret-player");
    expect((await get(`/catalogue/orders/${id}`)).data).to.deep.include({
      ...{ id, version: 1, user_id: reseller.owner.id, total: "8.99", code: null, provider: null, problem: null },
      order_information: [
        { field_name: "Player_Id", field_value: "Player ID", value: "secret-player" },
        { field_name: "Server", field_value: "Game Server", value: "eu" },
      ],
    });
    expect((await get("/catalogue/orders/2147483647")).error.code).to.equal("NOT_FOUND");
  });

  it("are completed with what was delivered, once by their key", async () => {
    const { id } = await topUpOrder();
    const key = { "Idempotency-Key": newId() };

    const [done, again] = [await complete(id, {}, key), await complete(id, {}, key)];

    expect(done.body.data).to.include({ status: "completed", delivery: "Sent to the player.", version: 2 });
    expect(again.body).to.deep.equal(done.body);
    expect(codeOf(await complete(id))).to.equal("CONFLICT");
    expect(codeOf(await cancel(id))).to.equal("CONFLICT");
  });

  it("are cancelled with a reason, and the campaign gets its sale back", async () => {
    const { id, topUp } = await topUpOrder({ campaign: { max_sell: 1 } });

    const { body } = await cancel(id);

    expect(body.data).to.include({ status: "cancelled", reason: "Unknown player." });
    const sold = await queryOne("SELECT offered_sell FROM catalogue_campaigns WHERE service_id = $1", [
      topUp.serviceId,
    ]);
    expect(sold).to.deep.equal({ offered_sell: 0 });
    const [entry] = await query(
      "SELECT action, reason, before, after FROM audit_log WHERE target_id = $1 AND target_type = $2",
      [`${id}`, "catalogue_order"],
    );
    expect(entry).to.deep.equal({
      ...{ action: "catalogue_order.cancel", reason: "Unknown player." },
      ...{ before: { status: "placed" }, after: { status: "cancelled" } },
    });
  });

  it("reject a change that is based on an old version", async () => {
    const { id } = await topUpOrder();

    expect(codeOf(await complete(id, {}, { "If-Match": '"7"' }))).to.equal("CONFLICT");
    expect(codeOf(await complete(id, {}, { "If-Match": '"1"' }))).to.equal("ok");
  });

  it("end once, however many calls end them at the same time", async () => {
    const { id } = await topUpOrder();

    const outcomes = await Promise.all([complete(id), cancel(id), complete(id), cancel(id)]);

    expect(outcomes.map(codeOf).toSorted()).to.deep.equal(["CONFLICT", "CONFLICT", "CONFLICT", "ok"]);
  });

  it("of cards show their code once they are completed", async () => {
    const { id, card } = await cardOrder();

    expect((await complete(id)).body.data).to.include({ status: "completed", code: "ready" });
    expect(await showCode(reseller.caller, id, "key")).to.equal(card.codes[0]);
    expect(JSON.stringify(await get(`/catalogue/orders/${id}`))).not.to.include(card.codes[0]);
  });

  it("of cards give their code back when they are cancelled", async () => {
    const { id, card } = await cardOrder();

    await cancel(id);
    const next = await orderCard(reseller.caller, card.form);
    await complete(next);

    expect(await showCode(reseller.caller, next, "key")).to.equal(card.codes[0]);
    const sold = await queryOne("SELECT sell_count FROM catalogue_cards WHERE id = $1", [card.id]);
    expect(sold).to.deep.equal({ sell_count: 1 });
  });

  it("that a provider has are ended only after a check there, and not while it is being asked", async () => {
    configureFulfilment(sandboxProvider);
    const [{ id }, other] = [
      await topUpOrder({ topUp: { instant_delivery: 1 } }, "down"),
      await topUpOrder({ topUp: { instant_delivery: 1 } }, "down"),
    ];
    const waits = async (order: number) => (await get(`/catalogue/orders/${order}`)).data.problem !== null;
    await until("the provider's answer is unknown", async () => (await waits(id)) && waits(other.id));

    expect((await get(`/catalogue/orders?has_problem=true&user_id=${reseller.owner.id}`)).data.total).to.equal(2);
    expect([codeOf(await complete(id)), codeOf(await cancel(id))]).to.deep.equal(["CONFLICT", "CONFLICT"]);
    await query("UPDATE catalogue_orders SET asking_until = now() + interval '1 minute' WHERE id = $1", [id]);
    expect(codeOf(await cancel(id, { provider_checked: true }))).to.equal("CONFLICT");
    await query("UPDATE catalogue_orders SET asking_until = NULL WHERE id = $1", [id]);
    expect(codeOf(await cancel(id, { provider_checked: true }))).to.equal("ok");
    expect(codeOf(await complete(other.id, { provider_checked: true }))).to.equal("ok");
  });

  it("are sent to the provider again, or for the first time, by a retry", async () => {
    configureFulfilment(undefined);
    const { id } = await topUpOrder({ topUp: { instant_delivery: 1 } });
    const { id: card } = await cardOrder();
    const without = await act(id, "retry");
    configureFulfilment(sandboxProvider);

    expect([codeOf(without), codeOf(await act(card, "retry"))]).to.deep.equal(["CONFLICT", "CONFLICT"]);
    expect(codeOf(await act(id, "retry"))).to.equal("ok");
    await until(
      "the order is delivered",
      async () => (await get(`/catalogue/orders/${id}`)).data.status === "completed",
    );
    expect(codeOf(await act(id, "retry"))).to.equal("CONFLICT");
  });

  it("need codes, which are imported from CSV files, and whose stock is shown", async () => {
    const card = await buildCard({ codes: 0 });
    const stock = async (filter = "") => (await get(`/catalogue/code-stock?card_id=${card.id}${filter}`)).data.items;
    const send = (csv: string, type = "text/csv") =>
      service.admin("post", `/catalogue/card-services/${card.serviceId}/codes`, {
        token: admin.token,
        body: csv,
        headers: { "content-type": type },
      });
    const codes = Array.from({ length: 12 }, () => newId());

    const { body } = await send(`code\n${codes.join("\n")}\n${codes[0]}\nx\n`);

    expect(body.data).to.include({ accepted: 12, duplicate: 1, malformed: 1 });
    expect(body.data.lines.slice(-2)).to.deep.equal([
      { line: 14, outcome: "duplicate" },
      { line: 15, outcome: "malformed" },
    ]);
    expect(JSON.stringify(body)).not.to.include(codes[0]);
    expect(await stock()).to.deep.equal([
      {
        ...{ id: card.serviceId, card_id: card.id, card_name: "Card", service_name: "USD 10", is_active: true },
        ...{ available: 12, reserved: 0, is_low: false },
      },
    ]);
    expect(await stock("&low=true")).to.deep.equal([]);
    for (let sold = 0; sold < 3; sold += 1) await orderCard(reseller.caller, card.form);
    expect((await stock("&low=true"))[0]).to.include({ available: 9, is_low: true });
    expect((await send("a,b", "application/json")).status).to.equal(415);
    expect((await send("x".repeat(2 ** 20 + 1))).status).to.equal(413);
    const [entry] = await query(
      "SELECT after FROM audit_log WHERE action = 'catalogue_codes.import' AND target_id = $1",
      [`${card.serviceId}`],
    );
    expect(entry).to.deep.equal({ after: { accepted: 12, duplicate: 1, malformed: 1 } });
  });
});
