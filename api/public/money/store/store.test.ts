import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { act, proofOf } from "#shared/testing/pay.ts";
import { buildFrame, buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";

describe("frames in the store", () => {
  const service = useService();
  afterEach(closeClients);

  const buy = ({ token }: BuiltUser, frameId: string, body: object = {}, headers: Record<string, string> = {}) =>
    service.call("post", `/store/frames/${frameId}/purchase`, { token, body, headers });
  const equip = ({ token }: BuiltUser, frameId: string) =>
    service.call("post", `/store/frames/${frameId}/equip`, { token });
  const takeOff = ({ token }: BuiltUser, frameId: string) =>
    service.call("delete", `/store/frames/${frameId}/equip`, { token });
  const balanceOf = async ({ token }: BuiltUser) => (await service.call("get", "/wallet", { token })).body.data.balance;
  const frameOf = async (user: BuiltUser) =>
    (await service.call("get", "/users/me", { token: user.token })).body.data.frame;
  const listed = async ({ token }: BuiltUser, id: string) => {
    const { data } = (await service.call("get", "/store/frames", { token })).body as { data: { id: string }[] };
    return data.find((frame) => frame.id === id);
  };
  const expire = ({ id }: BuiltUser, frameId: string) =>
    query("UPDATE frame_ownerships SET expires_at = now() WHERE user_id = $1 AND frame_id = $2", [id, frameId]);

  it("are bought at their price, and belong to the buyer only", async () => {
    const [user, other, frame] = await Promise.all([buildUser({ coins: 100 }), buildUser(), buildFrame({ price: 30 })]);
    const shown = { ...frame, owned_by_me: false, equipped: false, expires_at: null };
    expect(await listed(user, frame.id)).to.deep.equal(shown);
    const { status, body } = await buy(user, frame.id);
    expect([status, body.data]).to.deep.equal([201, { ...shown, owned_by_me: true }]);
    expect(await listed(user, frame.id)).to.deep.equal({ ...shown, owned_by_me: true });
    expect(await listed(other, frame.id)).to.deep.equal(shown);
    expect(await balanceOf(user)).to.equal(70);
    const { items } = (await service.call("get", "/wallet/transactions?limit=1", { token: user.token })).body.data;
    expect(items[0]).to.deep.include({ type: "frame_purchase", amount: 30, description: `Frame ${frame.name}` });
    expect(await differencesOf(user.id)).to.deep.equal([]);
  });

  it("are rejected if owned, too expensive or not on sale", async () => {
    const [user, poor, frame, dear] = await Promise.all([
      buildUser({ coins: 100 }),
      buildUser({ coins: 29 }),
      buildFrame({ price: 30 }),
      buildFrame({ price: 71 }),
    ]);
    expect((await buy(poor, frame.id)).body.error.code).to.equal("INSUFFICIENT_BALANCE");
    expect(await listed(poor, frame.id)).to.include({ owned_by_me: false });
    await buy(user, frame.id);
    expect((await buy(user, frame.id)).body.error.code).to.equal("ALREADY_OWNED");
    expect((await buy(user, dear.id)).body.error.code).to.equal("INSUFFICIENT_BALANCE");
    expect((await buy(user, newId())).body.error.code).to.equal("NOT_FOUND");
    await query("UPDATE frames SET retired_at = now() WHERE id = ANY($1::uuid[])", [[frame.id, dear.id]]);
    expect((await buy(poor, frame.id)).body.error.code).to.equal("NOT_FOUND");
    expect(await listed(poor, frame.id)).to.equal(undefined);
    expect(await listed(user, frame.id)).to.include({ owned_by_me: true });
    expect([await balanceOf(user), await balanceOf(poor)]).to.deep.equal([70, 29]);
  });

  it("are bought once by 20 concurrent calls, and one of two with coins for one", async () => {
    const [user, frame, one, two] = await Promise.all([
      buildUser({ coins: 1000 }),
      buildFrame({ price: 30 }),
      buildFrame({ price: 600 }),
      buildFrame({ price: 600 }),
    ]);
    const codes = (answers: Awaited<ReturnType<typeof buy>>[]) =>
      answers.map(({ body }) => body.error?.code ?? "ok").sort();
    const twenty = await Promise.all(Array.from({ length: 20 }, () => buy(user, frame.id)));
    expect(codes(twenty)).to.deep.equal([...Array(19).fill("ALREADY_OWNED"), "ok"]);
    expect(codes(await Promise.all([buy(user, one.id), buy(user, two.id)]))).to.deep.equal([
      "INSUFFICIENT_BALANCE",
      "ok",
    ]);
    expect(await balanceOf(user)).to.equal(370);
    expect(await differencesOf(user.id)).to.deep.equal([]);
  });

  it("repeat the first answer for a key, and need another key for another frame", async () => {
    const [user, frame, other] = await Promise.all([buildUser({ coins: 100 }), buildFrame(), buildFrame()]);
    const headers = { "idempotency-key": newId() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => buy(user, frame.id, {}, headers)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).to.equal(1);
    expect(answers[0]?.status).to.equal(201);
    expect((await buy(user, other.id, {}, headers)).body.error.code).to.equal("IDEMPOTENCY_CONFLICT");
    expect(await balanceOf(user)).to.equal(70);
  });

  it("cost the current price, or are rejected if the buyer expected another one", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 100 }), buildFrame({ price: 30 })]);
    await query("UPDATE frames SET price = 90 WHERE id = $1", [frame.id]);
    expect((await buy(user, frame.id, { expected_price: 30 })).body.error.code).to.equal("CONFLICT");
    expect(await balanceOf(user)).to.equal(100);
    expect((await buy(user, frame.id, { expected_price: 90 })).status).to.equal(201);
    expect(await balanceOf(user)).to.equal(10);
    for (const body of [{ expected_price: 0 }, { expected_price: "90" }, { price: 1 }])
      expect((await buy(user, frame.id, body)).body.error.code).to.equal("VALIDATION_ERROR");
  });

  it("whose price changes during purchases are paid at one of the two prices, as recorded", async () => {
    const frame = await buildFrame({ price: 30 });
    const people = await Promise.all(Array.from({ length: 12 }, () => buildUser({ coins: 100 })));
    const changes = [31, 32, 33].map((price) => query("UPDATE frames SET price = $2 WHERE id = $1", [frame.id, price]));
    await Promise.all([...people.map((user) => buy(user, frame.id)), ...changes]);
    for (const user of people) {
      const [purchase] = await query<{ price: number }>("SELECT price FROM frame_purchases WHERE user_id = $1", [
        user.id,
      ]);
      expect([30, 31, 32, 33]).to.include(purchase!.price);
      expect(await balanceOf(user)).to.equal(100 - purchase!.price);
    }
    expect(await differencesOf(...people.map(({ id }) => id))).to.deep.equal([]);
  });

  it("are equipped one at a time and unequipped, by their owner", async () => {
    const [user, other, one, two] = await Promise.all([
      buildUser({ coins: 100 }),
      buildUser(),
      buildFrame(),
      buildFrame(),
    ]);
    for (const { id } of [one, two]) await buy(user, id);
    const badge = ({ id, name, image_url }: typeof one) => ({ id, name, image_url });
    expect((await equip(other, one.id)).body.error.code).to.equal("NOT_OWNED");
    expect((await equip(user, newId())).body.error.code).to.equal("NOT_FOUND");
    expect(await frameOf(user)).to.equal(null);
    expect((await equip(user, one.id)).body.data).to.include({ id: one.id, equipped: true });
    expect(await frameOf(user)).to.deep.equal(badge(one));
    expect((await equip(user, two.id)).body.data).to.include({ id: two.id, equipped: true });
    expect((await equip(user, two.id)).status).to.equal(200);
    expect(await frameOf(user)).to.deep.equal(badge(two));
    expect(await listed(user, one.id)).to.include({ equipped: false });
    expect((await takeOff(user, one.id)).body.data).to.include({ equipped: false });
    expect(await frameOf(user)).to.deep.equal(badge(two));
    expect((await takeOff(user, two.id)).body.data).to.include({ id: two.id, equipped: false });
    expect(await frameOf(user)).to.equal(null);
    expect((await takeOff(other, two.id)).body.error.code).to.equal("NOT_OWNED");
  });

  it("equipped concurrently leave exactly one equipped", async () => {
    const [user, one, two] = await Promise.all([buildUser({ coins: 100 }), buildFrame(), buildFrame()]);
    for (const { id } of [one, two]) await buy(user, id);
    const both = [one, two, one, two, one, two, one, two].map(({ id }) => equip(user, id));
    expect(new Set((await Promise.all(both)).map(({ status }) => status))).to.deep.equal(new Set([200]));
    const on = await query("SELECT 1 FROM frame_ownerships WHERE user_id = $1 AND equipped", [user.id]);
    expect(on).to.have.length(1);
  });

  it("that have expired are not owned, shown or equipped, and can be bought again", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 100 }), buildFrame({ price: 30, duration_days: 7 })]);
    const { expires_at } = (await buy(user, frame.id)).body.data;
    expect(Date.parse(expires_at)).to.be.closeTo(Date.now() + 7 * 86_400_000, 60_000);
    await equip(user, frame.id);
    await expire(user, frame.id);
    expect(await frameOf(user)).to.equal(null);
    expect(await listed(user, frame.id)).to.include({ owned_by_me: false, equipped: false, expires_at: null });
    expect((await equip(user, frame.id)).body.error.code).to.equal("NOT_OWNED");
    expect((await buy(user, frame.id)).body.data).to.include({ owned_by_me: true, equipped: false });
    expect(await balanceOf(user)).to.equal(40);
    expect(await differencesOf(user.id)).to.deep.equal([]);
  });

  it("show at once in the room the owner is in", async () => {
    const [user, frame] = await Promise.all([buildUser({ coins: 100 }), buildFrame()]);
    const room = await buildRoom();
    const [client, watcher] = [
      await connectSocket(service.url, user.token),
      await connectSocket(service.url, room.host.token),
    ];
    for (const one of [client, watcher]) await one.ask("room:join", { room_id: room.id });
    await buy(user, frame.id);
    await equip(user, frame.id);
    const isFramed = ({ member }: { member: { user: { frame: object | null } } }) => member.user.frame !== null;
    const { member } = await watcher.inbox.next("room:member_updated", isFramed, 15_000);
    expect(member.user).to.deep.include({
      id: user.id,
      frame: { id: frame.id, name: frame.name, image_url: frame.image_url },
    });
    const { data } = (await service.call("get", `/rooms/${room.id}`, { token: room.host.token })).body;
    const shown = data.members.find((one: { user: { id: string } }) => one.user.id === user.id);
    expect(shown.user.frame.id).to.equal(frame.id);
  });
});

describe("VIP plans in the store", () => {
  const service = useService();

  const purchase = ({ token }: BuiltUser, planId: string, headers: Record<string, string> = {}) =>
    service.call("post", `/store/vip/${planId}/purchase`, { token, body: {}, headers });

  it("are listed while they are on sale", async () => {
    const [user, plan, gone] = await Promise.all([buildUser(), buildPlan(), buildPlan()]);
    await query("UPDATE vip_plans SET retired_at = now() WHERE id = $1", [gone.id]);
    const { data } = (await service.call("get", "/store/vip-plans", { token: user.token })).body as {
      data: { id: string }[];
    };
    expect(data.find(({ id }) => id === plan.id)).to.deep.equal({ ...plan, store_product_id: null });
    expect(data.find(({ id }) => id === gone.id)).to.equal(undefined);
    for (const id of [gone.id, newId()]) expect((await purchase(user, id)).body.error.code).to.equal("NOT_FOUND");
  });

  it("are ordered and paid with money, and move no coins", async () => {
    const [user, plan] = await Promise.all([buildUser({ coins: 5 }), buildPlan({ duration_days: 30 })]);
    const headers = { "idempotency-key": newId() };
    const { status, body } = await purchase(user, plan.id, headers);
    expect(status).to.equal(201);
    const { order, providerPayload } = body.data;
    expect(order).to.deep.include({
      kind: "vip",
      status: "created",
      amount: 29_900,
      coins: 0,
      plan_id: plan.id,
      package_id: null,
    });
    expect(providerPayload).to.deep.include({ amount: 29_900, description: `${plan.name}, 30 days` });
    expect((await purchase(user, plan.id, headers)).body).to.deep.equal(body);
    await act(order.provider_order_id, "pay");
    const proof = await proofOf(order.provider_order_id);
    const verified = await service.call("post", "/payments/verify", { token: user.token, body: proof });
    expect(verified.body.data).to.include({ id: order.id, status: "paid" });
    expect((await service.call("get", "/wallet", { token: user.token })).body.data).to.deep.equal({
      balance: 5,
      debt: 0,
    });
    expect(await differencesOf(user.id, order.id)).to.deep.equal([]);
  });
});
