import { setTimeout as pause } from "node:timers/promises";
import { service } from "#shared/contracts/principal.ts";
import { hashRequest } from "#shared/db/idempotency.ts";
import { migrate } from "#shared/db/migrate.ts";
import { query } from "#shared/db/query.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureAccounts } from "#shared/domain/identity/accounts/account-steps.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { movementCommand } from "#shared/domain/money/ledger/movement.ts";
import type { Transfer } from "#shared/domain/money/ledger/transfer.ts";
import { createOrder } from "#shared/domain/money/payments/create-order.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { settlePayment } from "#shared/domain/money/payments/settle-payment.ts";
import { moneyOfAccounts } from "#shared/domain/money/signup/signup-bonus.ts";
import { buyFrame } from "#shared/domain/money/store/buy-frame.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf } from "#shared/testing/people.ts";
import { buildFrame } from "#shared/testing/sales.ts";
import type { GiftScene } from "./gift-scene.ts";

/** The process that `ledger` kills. Works with the domain's own commands, without HTTP and without the relay. */
const [url, task, ...options] = process.argv.slice(2);
await openDatabase(url!);
configureAccounts(moneyOfAccounts);
const tell = (line: string) => void process.stdout.write(`${line}\n`);
const anyOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

/** Creates people with coins, in pairs, with a room and a gift. Prints them. */
async function prepare(pairCount: number): Promise<void> {
  await migrate(url!);
  const people: Awaited<ReturnType<typeof buildUser>>[] = [];
  for (let count = 0; count < pairCount * 2; count += 1) people.push(await buildUser({ coins: 1_000_000 }));
  const [gift, room] = [await buildGift({ price: 10 }), await buildRoom()];
  for (let count = 0; count < 5; count += 1) await buildFrame();
  const person = ({ id, token }: { id: string; token: string }) => ({ id, token });
  const pairs = Array.from({ length: pairCount }, (_, index) => ({
    sender: person(people[index * 2]!),
    recipient: person(people[index * 2 + 1]!),
  }));
  tell(JSON.stringify({ roomId: room.id, giftId: gift.id, pairs } satisfies GiftScene));
}

/**
 * Gives gifts, buys frames, pays for coins, has some of them refunded, and gives and takes coins, at random until the
 * process is killed. Prints the ID of each gift, purchase, order, and grant that it is told is done.
 */
async function moveAtRandom(callers: number): Promise<void> {
  const ids = (await query<{ user_id: string }>("SELECT user_id FROM wallets")).map(({ user_id }) => user_id);
  const [room] = await query<{ id: string }>("SELECT id FROM rooms LIMIT 1");
  const [gift] = await query<{ id: string }>("SELECT id FROM gifts LIMIT 1");
  const frames = await query<{ id: string }>("SELECT id FROM frames");
  configurePayments({ provider: "sandbox", sandbox: { keySecrets: ["unused"], webhookSecrets: ["unused"] } });

  const give = async () => {
    const [senderId, recipient_id] = [anyOf(ids), anyOf(ids)];
    const order = { room_id: room!.id, gift_id: gift!.id, recipient_id, quantity: anyOf([1, 1, 1, 2, 5, 999]) };
    const key = { scope: `${senderId} gifts`, key: newId(), requestHash: hashRequest(order) };
    const send = () => transferGift(callerOf({ id: senderId }), order, Math.random() < 0.5 ? key : undefined);
    const twice = () => transferGift(callerOf({ id: senderId }), order, key);
    const sent = Math.random() < 0.1 ? await Promise.all([twice(), twice()]) : [await send()];
    if (sent[0]!.id !== (sent[1] ?? sent[0]!).id) throw new Error("one key has two effects");
    tell(sent[0]!.id);
  };
  const grant = async () => {
    const id = newId();
    const coins = anyOf([500, 5000, -700, -4000]);
    await inTransaction((tx) =>
      grantCoins(tx, { by: service, kind: "adjustment", id, userId: anyOf(ids), coins, reason: "A test" }),
    );
    tell(id);
  };

  const buy = async () => {
    const [userId, frameId] = [anyOf(ids), anyOf(frames).id];
    await buyFrame(callerOf({ id: userId }), { frameId });
    const [purchase] = await query<{ id: string }>(
      "SELECT id FROM frame_purchases WHERE user_id = $1 AND frame_id = $2 ORDER BY id DESC LIMIT 1",
      [userId, frameId],
    );
    tell(purchase!.id);
    // So that it can be bought again.
    await query("UPDATE frame_ownerships SET expires_at = now() WHERE user_id = $1 AND frame_id = $2", [
      userId,
      frameId,
    ]);
  };
  const pay = async () => {
    const price = { amount: 400, currency: "INR" };
    const draft = { kind: "coins", ...price, credit: 97, title: "97 coins" } as const;
    const { order } = await createOrder({ userId: anyOf(ids) }, async () => draft);
    const { provider, provider_order_id: orderId } = order;
    const payment = { id: `pay_${newId()}`, orderId: orderId!, ...price, captured: true };
    await inTransaction((tx) => settlePayment(tx, provider, payment));
    tell(order.id);
    const refund = { id: `rfnd_${newId()}`, amount: anyOf([100, 400]) };
    if (Math.random() < 0.5) await inTransaction((tx) => refundPayment(tx, provider, payment, refund));
  };
  const kinds = [...Array.from({ length: 17 }, () => give), grant, buy, pay];

  await Promise.all(Array.from({ length: callers }, () => repeat(() => anyOf(kinds)())));
}

async function repeat(move: () => Promise<void>): Promise<never> {
  for (;;) {
    try {
      await move();
    } catch (error) {
      // Refused, or the database is being killed: what it was asked then may be done or not.
      if (!(error instanceof DomainError)) await pause(20);
    }
  }
}

/** Moves coins between two people per caller, and nothing else. Prints how many transfers it makes per second. */
async function transferAlone(callers: number, seconds: number): Promise<void> {
  const ids = (
    await query<{ user_id: string }>("SELECT user_id FROM wallets ORDER BY balance DESC LIMIT $1", [callers * 2])
  ).map(({ user_id }) => user_id);
  const move = movementCommand({
    usersOf: ({ entries }: Transfer) => entries.flatMap(({ account }) => ("userId" in account ? account.userId : [])),
    plan: async (_tx, transfers) => transfers.map((transfer) => ({ transfer })),
    store: async (_tx, plans) => plans,
  });
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const [from, to] = [ids[(caller * 2) % ids.length]!, ids[(caller * 2 + 1) % ids.length]!];
      for (; performance.now() < untilMs; done += 1)
        await move({
          by: service,
          reference: { type: "adjustment", id: newId() },
          description: "A load test",
          entries: [
            { account: { userId: from }, amount: -2, type: "admin_adjustment" },
            { account: { userId: to }, amount: 1, type: "admin_adjustment" },
            { account: { house: "issue" }, amount: 1, type: "admin_adjustment" },
          ],
        });
    }),
  );
  tell(String(done / ((performance.now() - startedMs) / 1000)));
}

const tasks: Record<string, () => Promise<unknown>> = {
  prepare: () => prepare(Number(options[0])),
  random: () => moveAtRandom(Number(options[0])),
  transfers: () => transferAlone(Number(options[0]), Number(options[1])),
  check: async () => tell(JSON.stringify(await checkLedger())),
};
await tasks[task!]!();
process.exit();
