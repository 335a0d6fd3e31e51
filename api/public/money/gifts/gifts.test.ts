import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildGift, buildGiftCategory, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("sending gifts", () => {
  const service = useService();
  afterEach(closeClients);

  const join = (roomId: string, { token }: BuiltUser) =>
    service.call("post", `/rooms/${roomId}/join`, { token, body: {} });
  const balanceOf = async ({ token }: BuiltUser) => (await service.call("get", "/wallet", { token })).body.data.balance;

  /** A sender with coins and a recipient in one room, and a gift of ten coins. */
  async function scene(coins = 100) {
    const [sender, recipient, gift] = await Promise.all([buildUser({ coins }), buildUser(), buildGift()]);
    const room = await buildRoom({ host: recipient });
    await join(room.id, recipient);
    await join(room.id, sender);
    const send = (body: object = {}, headers: Record<string, string> = {}) =>
      service.call("post", `/rooms/${room.id}/gifts`, {
        token: sender.token,
        body: { gift_id: gift.id, recipient_id: recipient.id, quantity: 1, ...body },
        headers,
      });
    const leave = ({ token }: BuiltUser) => service.call("post", `/rooms/${room.id}/leave`, { token });
    return { sender, recipient, gift, room, send, leave };
  }

  it("moves coins, tells the room within moments, and shows in both histories and wallets", async () => {
    const { sender, recipient, gift, room, send } = await scene();
    const watcher = await connectSocket(service.url, (await buildUser()).token);
    await watcher.ask("room:join", { room_id: room.id });
    const { status, body } = await send({ quantity: 3 });
    expect(status).to.equal(201);
    expect(body.data).to.deep.include({ gift, quantity: 3, total_coins: 30, room_id: room.id });
    const animation = await watcher.inbox.next("gift:animation");
    expect(animation).to.deep.include({ room_id: room.id, gift, quantity: 3, total_coins: 30, combo: 1 });
    expect([await balanceOf(sender), await balanceOf(recipient)]).to.deep.equal([70, 15]);
    const [sent, received, none] = await Promise.all([
      service.call("get", "/gifts/transactions/sent", { token: sender.token }),
      service.call("get", "/gifts/transactions/received", { token: recipient.token }),
      service.call("get", "/gifts/transactions/received", { token: sender.token }),
    ]);
    expect(sent.body.data.items).to.deep.equal([body.data]);
    expect(received.body.data.items).to.deep.equal([body.data]);
    expect(none.body.data).to.deep.equal({ items: [], page: 1, limit: 20, total: 0, total_pages: 0 });
    const { data: entries } = (await service.call("get", "/wallet/transactions?limit=1", { token: sender.token })).body;
    expect(entries.items[0]).to.deep.include({
      type: "gift_sent",
      direction: "debit",
      amount: 30,
      balance_after: 70,
      reference: { type: "gift_transaction", id: body.data.id },
      description: "Rose × 3",
    });
  });

  it("counts a combo of the same gift to the same user", async () => {
    const { room, send } = await scene();
    const watcher = await connectSocket(service.url, (await buildUser()).token);
    await watcher.ask("room:join", { room_id: room.id });
    for (const combo of [1, 2, 3]) {
      await send();
      await watcher.inbox.next("gift:animation", (animation) => animation.combo === combo);
    }
    expect(watcher.inbox.of("gift:animation")).to.have.length(3);
  });

  it("requires both users to be in the room", async () => {
    const { sender, recipient, send, leave } = await scene();
    const elsewhere = await buildUser();
    const codeOf = async (body: object = {}) => (await send(body)).body.error?.code;
    expect(await codeOf({ recipient_id: elsewhere.id })).to.equal("NOT_FOUND");
    expect(await codeOf({ recipient_id: newId() })).to.equal("NOT_FOUND");
    expect(await codeOf({ recipient_id: sender.id })).to.equal("FORBIDDEN");
    await leave(recipient);
    expect(await codeOf()).to.equal("NOT_FOUND");
    await leave(sender);
    expect(await codeOf()).to.equal("NOT_A_MEMBER");
    const nowhere = await service.call("post", `/rooms/${newId()}/gifts`, {
      token: sender.token,
      body: { gift_id: newId(), recipient_id: recipient.id, quantity: 1 },
    });
    expect(nowhere.body.error.code).to.equal("NOT_FOUND");
    expect(await balanceOf(sender)).to.equal(100);
  });

  it("rejects gifts that the wallet can't pay for, and invalid quantities", async () => {
    const { sender, send } = await scene(25);
    expect((await send({ quantity: 3 })).body.error.code).to.equal("INSUFFICIENT_BALANCE");
    for (const quantity of [0, -1, 1.5, 1000, 1e308, "1", "1e2", 2 ** 53, null, [1], {}, true]) {
      const { status, body } = await send({ quantity });
      expect([status, body.error.code], JSON.stringify(quantity)).to.deep.equal([400, "VALIDATION_ERROR"]);
    }
    expect((await send({ price: 1 })).body.error.code).to.equal("VALIDATION_ERROR");
    expect(await balanceOf(sender)).to.equal(25);
  });

  it("returns the first answer for a repeated key, even after someone has left, but not for another request", async () => {
    const { sender, send, leave } = await scene();
    const headers = { "idempotency-key": newId() };
    const first = await send({}, headers);
    expect(await send({}, headers)).to.deep.include({ status: 201, body: first.body });
    await leave(sender);
    const again = await send({}, headers);
    expect([again.status, JSON.stringify(again.body)]).to.deep.equal([201, JSON.stringify(first.body)]);
    expect((await send({ quantity: 2 }, headers)).body.error.code).to.equal("IDEMPOTENCY_CONFLICT");
    expect((await send({}, { "idempotency-key": newId() })).body.error.code).to.equal("NOT_A_MEMBER");
    expect(await balanceOf(sender)).to.equal(90);
  });

  it("lists gifts by category, without retired ones", async () => {
    const { token } = await buildUser();
    const category = await buildGiftCategory(`Spring ${newId()}`);
    const [dear, cheap, retired] = await Promise.all([
      buildGift({ name: "Oak", price: 500, category_id: category }),
      buildGift({ name: "Tulip", price: 5, category_id: category }),
      buildGift({ name: "Snow", price: 1, category_id: category }),
    ]);
    const gone = await buildGift();
    await query("UPDATE gifts SET retired_at = now() WHERE id = $1", [retired.id]);
    await query("UPDATE gift_categories SET retired_at = now() WHERE id = $1", [gone.category_id]);
    const { body } = await service.call("get", "/gifts", { token });
    const groups: { category: { id: string }; gifts: object[] }[] = body.data;
    expect(groups.find((group) => group.category.id === category)?.gifts).to.deep.equal([cheap, dear]);
    expect(groups.some((group) => group.category.id === gone.category_id)).to.equal(false);
  });
});
