import { expect } from "chai";
import type { NamedRecord } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { kinds } from "#shared/domain/operations/search/kinds.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildTopUp } from "#shared/testing/catalogue.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { act, paymentOf } from "#shared/testing/pay.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildPackage, buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { managedResources } from "../../routes.ts";

describe("the search for records", () => {
  const service = useService();
  let root: BuiltAdmin;
  before(async () => {
    root = await buildAdmin();
  });

  const ask = async (path: string, fields: Record<string, string>, by = root): Promise<NamedRecord[]> => {
    const { body } = await service.admin("get", `${path}?${new URLSearchParams(fields)}`, { token: by.token });
    return body.data;
  };
  const search = (q: string, by = root) => ask("/search", { q }, by);
  const names = (refs: readonly string[], by = root) => ask("/names", { refs: refs.join(",") }, by);

  it("knows every managed resource", () => {
    const known = new Set(kinds.map(({ type }) => type));
    expect(managedResources.map(([{ name }]) => name).filter((name) => !known.has(name))).to.deep.equal([]);
  });

  it("finds by a part of a name, by an ID, and by what belongs to a record", async () => {
    const word = `x${newId().slice(-10)}`;
    const user = await buildUser({ full_name: `Ada ${word}` });
    const room = await buildRoom({ host: user, name: `Room ${word}` });
    const topUp = await buildTopUp({ topUp: { name: `Gems ${word}` } });
    const messageId = newId();
    await query("INSERT INTO room_messages (id, room_id, user_id, body) VALUES ($1, $2, $3, 'Hello')", [
      messageId,
      room.id,
      user.id,
    ]);
    const session = await query<{ id: string }>("SELECT id FROM sessions WHERE user_id = $1", [user.id]);
    const shown = {
      user: { type: "user", id: user.id, name: `Ada ${word}`, detail: `@${user.username}` },
      room: { type: "room", id: room.id, name: `Room ${word}`, detail: "open" },
      topUp: { type: "catalogue_top_up", id: String(topUp.id), name: `Gems ${word}`, detail: "" },
    };

    expect(await search(word)).to.deep.equal([shown.user, shown.room, shown.topUp]);
    expect(await search(user.id.toUpperCase())).to.deep.equal([shown.user]);
    expect(await search(session[0]!.id)).to.deep.equal([shown.user]);
    expect(await search(messageId)).to.deep.equal([shown.room]);
    expect(await search(`#${topUp.id}`)).to.deep.include(shown.topUp);
    expect(await names([`user:${user.id}`, `catalogue_top_up:${topUp.id}`])).to.deep.equal([shown.user, shown.topUp]);
  });

  it("finds an order by whatever someone has who paid and got nothing", async () => {
    const user = await buildUser({ email: `${newId().slice(-12)}@example.com` });
    const { order } = await orderCoins(callerOf(user), (await buildPackage({ price: 12_345 })).id);
    const told = await act(order.provider_order_id!, "pay");
    await receiveWebhook("sandbox", Buffer.from(told.body), told.headers);
    const refunded = await act(order.provider_order_id!, "refund");
    await receiveWebhook("sandbox", Buffer.from(refunded.body), refunded.headers);
    const { id: paymentId, refund_id } = await paymentOf(order.provider_order_id!);
    const subscriptionId = `sub_${newId().slice(-12)}`;
    await query(
      `WITH s AS (INSERT INTO subscriptions (id, user_id, provider, provider_subscription_id, plan_id, status, auto_renew,
           current_period_starts_at, current_period_ends_at, event_at)
         VALUES (uuidv7(), $1, 'stripe', $2, $3, 'active', true, now(), now(), now()) RETURNING id)
       INSERT INTO store_purchases (id, provider, environment, transaction_id, original_transaction_id, user_id, order_id,
         subscription_id, state, receipt_sha256, purchased_at)
       SELECT uuidv7(), 'stripe', 'sandbox', $2, $2, $1, $4, s.id, 'paid', sha256('x'), now() FROM s`,
      [user.id, subscriptionId, (await buildPlan()).id, order.id],
    );
    const [{ email }] = (await query<{ email: string }>("SELECT email FROM users WHERE id = $1", [user.id])) as [
      { email: string },
    ];
    const numbers = await query<{ number: string }>("SELECT number FROM receipts WHERE order_id = $1", [order.id]);
    expect(numbers).to.have.length(2);
    const minute = new Date().toISOString().slice(0, 16);
    const ways = [
      ...[order.id, order.provider_order_id!, paymentId, refund_id!, subscriptionId, user.username],
      ...numbers.map(({ number }) => number),
      ...[email, email.toUpperCase(), `123.45 INR ${minute}`, `123.45inr ${minute.replace("T", " ")}`],
    ];
    for (const way of ways)
      expect(
        (await search(way)).filter(({ type }) => type === "order").map(({ id }) => id),
        way,
      ).to.include(order.id);
    for (const way of [`123.46 INR ${minute}`, `123.45 USD ${minute}`, "123.45 INR 2020-01-01 00:00", "1.2345 INR x"])
      expect(
        (await search(way)).map(({ id }) => id),
        way,
      ).to.not.include(order.id);
    const blind = await buildAdmin(["dashboard.read", "users.read"]);
    expect((await search(paymentId, blind)).length).to.equal(0);
  });

  it("finds nothing of what doesn't exist, whatever it is", async () => {
    expect(await search(newId())).to.deep.equal([]);
    expect(await search("999999999")).to.deep.equal([]);
    expect(await search(`%${newId()}`)).to.deep.equal([]);
    const all = kinds.map(({ type, idType }) => `${type}:${idType === "uuid" ? newId() : "999999999"}`);
    expect(await names([...all, "user:17", "dragon:17"])).to.deep.equal([]);
  });

  it("shows administrators only what their role may read", async () => {
    const clerk = await buildAdmin(["dashboard.read", "gifts.read"]);
    const [user, gift] = [await buildUser(), await buildGift()];

    expect(await search(user.id, clerk)).to.deep.equal([]);
    expect(await search(user.username, clerk)).to.deep.equal([]);
    expect((await search(gift.id, clerk)).map(({ type }) => type)).to.deep.equal(["gift"]);
    expect((await names([`user:${user.id}`, `gift:${gift.id}`], clerk)).map(({ id }) => id)).to.deep.equal([gift.id]);
  });
});
