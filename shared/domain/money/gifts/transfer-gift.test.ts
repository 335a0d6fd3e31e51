import { expect } from "chai";
import type { GiftTransaction } from "#shared/contracts/views.ts";
import { hashRequest, type IdempotentCall } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { walletBalance } from "#shared/testing/sales.ts";
import { listReceivedGifts, listSentGifts } from "./gifts.queries.ts";
import { transferGift } from "./transfer-gift.ts";

/** Two people, a room and a gift. */
async function scene({ coins = 0, price = 10 } = {}) {
  const [sender, recipient, gift] = await Promise.all([buildUser({ coins }), buildUser(), buildGift({ price })]);
  const room = await buildRoom({ host: recipient });
  const send = (quantity = 1, key?: IdempotentCall) =>
    transferGift(callerOf(sender), { room_id: room.id, gift_id: gift.id, recipient_id: recipient.id, quantity }, key);
  const balances = () => Promise.all([walletBalance(sender.id), walletBalance(recipient.id)]);
  return { sender, recipient, gift, room, send, balances };
}

const keyOf = (userId: string, request: object): IdempotentCall => ({
  scope: `${userId} post /rooms/:id/gifts`,
  key: newId(),
  requestHash: hashRequest(request),
});

const everySent = (userId: string) => listSentGifts(userId, { page: 1, limit: 100 });

async function differencesOf(gifts: GiftTransaction[], userIds: string[]): Promise<string[]> {
  const ids = [...gifts.map(({ id }) => id), ...userIds];
  return (await checkLedger()).filter((difference) => ids.some((id) => difference.includes(id)));
}

describe("transferGift", () => {
  useDatabase();

  it("takes price × quantity, credits half of it rounded down, and returns the transaction", async () => {
    const { sender, recipient, gift, room, send, balances } = await scene({ coins: 100, price: 7 });
    const sent = await send(3);
    expect(await balances()).to.deep.equal([79, 10]);
    expect(sent).to.deep.include({ gift, quantity: 3, total_coins: 21, room_id: room.id });
    expect([sent.sender.id, sent.recipient.id]).to.deep.equal([sender.id, recipient.id]);
    const page = { page: 1, limit: 20, total: 1, total_pages: 1 };
    expect(await everySent(sender.id)).to.deep.equal({ ...page, limit: 100, items: [sent] });
    expect(await listReceivedGifts(recipient.id, { page: 1, limit: 20 })).to.deep.equal({ ...page, items: [sent] });
    expect(await everySent(recipient.id)).to.have.property("total", 0);
    expect(await differencesOf([sent], [sender.id, recipient.id])).to.deep.equal([]);
  });

  it("writes no entry of zero: a share below one coin, all to the house, all to the recipient", async () => {
    const { sender, recipient, send, balances } = await scene({ coins: 100, price: 1 });
    const gifts = [await send(1)];
    expect(await balances()).to.deep.equal([99, 0]);
    try {
      rememberSettings({ gift_receiver_percent: 0 });
      gifts.push(await send(10));
      expect(await balances()).to.deep.equal([89, 0]);
      rememberSettings({ gift_receiver_percent: 100 });
      gifts.push(await send(10));
      expect(await balances()).to.deep.equal([79, 10]);
    } finally {
      rememberSettings({ gift_receiver_percent: 50 });
    }
    expect(await differencesOf(gifts, [sender.id, recipient.id])).to.deep.equal([]);
  });

  it("rejects a gift to yourself, gifts that are not for sale, and recipients without an active account", async () => {
    const { sender, recipient, gift, room, send, balances } = await scene({ coins: 100 });
    const order = { room_id: room.id, gift_id: gift.id, recipient_id: recipient.id, quantity: 1 };
    const caller = callerOf(sender);
    expect(await outcomeOf(transferGift(caller, { ...order, recipient_id: sender.id }))).to.equal("FORBIDDEN");
    expect(await outcomeOf(transferGift(caller, { ...order, gift_id: newId() }))).to.equal("NOT_FOUND");
    expect(await outcomeOf(transferGift(caller, { ...order, recipient_id: newId() }))).to.equal("NOT_FOUND");
    await query("UPDATE users SET status = 'suspended' WHERE id = $1", [recipient.id]);
    expect(await outcomeOf(send())).to.equal("NOT_FOUND");
    await query("UPDATE users SET status = 'active' WHERE id = $1", [recipient.id]);
    await query("UPDATE gifts SET retired_at = now() WHERE id = $1", [gift.id]);
    expect(await outcomeOf(send())).to.equal("NOT_FOUND");
    await query("UPDATE gifts SET retired_at = NULL WHERE id = $1", [gift.id]);
    await query("UPDATE gift_categories SET retired_at = now() WHERE id = $1", [gift.category_id]);
    expect(await outcomeOf(send())).to.equal("NOT_FOUND");
    expect(await balances()).to.deep.equal([100, 0]);
  });

  it("lets exactly ten of fifty concurrent gifts through if the wallet has coins for ten", async () => {
    const { sender, recipient, send, balances } = await scene({ coins: 105 });
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(send())));
    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === "INSUFFICIENT_BALANCE")).to.have.length(40);
    expect(await balances()).to.deep.equal([5, 50]);
    const { items } = await everySent(sender.id);
    expect(items).to.have.length(10);
    expect(await differencesOf(items, [sender.id, recipient.id])).to.deep.equal([]);
  });

  it("has one effect and one answer for fifty concurrent calls with one key", async () => {
    const { sender, send, balances } = await scene({ coins: 100 });
    const key = keyOf(sender.id, { quantity: 2 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(2, key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
    expect(await balances()).to.deep.equal([80, 10]);
    expect((await everySent(sender.id)).items).to.deep.equal([answers[0]]);
    const other = { ...key, requestHash: hashRequest({ quantity: 3 }) };
    expect(await outcomeOf(send(3, other))).to.equal("IDEMPOTENCY_CONFLICT");
  });

  it("allows a key to be reused after an error", async () => {
    const { sender, recipient, send, balances } = await scene({ coins: 5 });
    const key = keyOf(sender.id, { quantity: 1 });
    expect(await outcomeOf(send(1, key))).to.equal("INSUFFICIENT_BALANCE");
    const rich = await scene({ coins: 100 });
    await transferGift(callerOf(rich.sender), {
      room_id: rich.room.id,
      gift_id: rich.gift.id,
      recipient_id: sender.id,
      quantity: 1,
    });
    await send(1, key);
    expect(await balances()).to.deep.equal([0, 5]);
    expect(await differencesOf([], [sender.id, recipient.id])).to.deep.equal([]);
  });

  it("shows a gift in the histories at the price that was paid", async () => {
    const { sender, gift, send } = await scene({ coins: 100 });
    const sent = await send();
    await query("UPDATE gifts SET price = 999, name = 'Better rose' WHERE id = $1", [gift.id]);
    const { items } = await everySent(sender.id);
    expect(items[0]).to.deep.equal({ ...sent, gift: { ...gift, name: "Better rose" } });
  });
});
