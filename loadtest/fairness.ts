import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import * as hdr from "hdr-histogram-js";
import pg from "pg";
import { connect, enter, type Orders, type Sent, sockets } from "./fairness-attack.ts";
import { cheapestGift, raiseSignupBonus } from "./gift-scene.ts";
import { bucketsOf, quantileOf, since, totalOf } from "./metrics.ts";
import { judge, median, printTable, say } from "./report.ts";
import { openRoom, type Person, register, type Service, startService } from "./service.ts";

const givers = 24;

const chatEveryMs = 100;
const messageEveryMs = 550;

/** Others' chat may be this much slower than when idle, and a direct message this late. */
const chatFactor = 2;
const chatFloorMs = 5;
const messageMaxMs = 500;

interface Scene {
  readonly service: Service;
  readonly attacker: Person;
  readonly roomId: string;
  /** Members of the attacked room. */
  readonly talkers: readonly [Person, Person];
  /** Strangers to all others, in a conversation. */
  readonly pair: readonly [Person, Person];
  readonly conversationId: string;
  readonly givers: readonly Person[];
  readonly recipient: Person;
  readonly giftRoomId: string;
  readonly giftId: string;
}

interface Measured {
  readonly chat: hdr.Histogram;
  readonly messages: hdr.Histogram;
  /** What the service says of itself: where the time goes, if it isn't its own. */
  readonly work: Work;
}

/** Shares of one core; upper bounds in milliseconds. */
interface Work {
  readonly busy: number;
  readonly cpu: number;
  readonly mailboxMs: number;
  readonly lagMs: number;
}

/**
 * One account does the most that it is permitted on all its connections, first alone, then while people give gifts in
 * another room as fast as they are answered. Others must hardly notice the account: fails if, in the median of the
 * rounds, the p95 of their chat under the attack alone is more than twice that of the idle run before it, plus 5 ms.
 * Direct messages must not wait for the gifts: fails if their p95 is above 500 ms in either run.
 */
export async function fairness({ seconds, rounds }: { seconds: number; rounds: number }): Promise<void> {
  const scene = await makeScene();
  await measure(scene, 2); // Warms up.
  say(
    `attacked: ${sockets} sockets of one account flood a room; stormed: ${givers} people give gifts in another as well`,
  );
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await measure(scene, seconds);
    const attacked = await measureUnder(scene, [], seconds);
    const stormed = await measureUnder(scene, scene.givers, seconds);
    results.push({ idle, attacked, stormed });
  }
  await scene.service.stop();

  report(results, seconds);
}

interface Attacked extends Measured {
  readonly sent: Sent;
}

interface Round {
  readonly idle: Measured;
  readonly attacked: Attacked;
  readonly stormed: Attacked;
}

async function measureUnder(scene: Scene, giving: readonly Person[], seconds: number): Promise<Attacked> {
  const attack = await beginAttack(scene, giving);
  await pause(1000);
  const measured = await measure(scene, seconds);
  const sent = await attack.stop();
  await pause(1000);
  return { ...measured, sent };
}

async function makeScene(): Promise<Scene> {
  const service = await startService();
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 1 });
  await raiseSignupBonus(pool);
  await pool.end();
  const people = await register(service, 7 + givers);
  const [attacker, host, talker, ada, grace, giftHost, recipient, ...rest] = people as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
    ...Person[],
  ];
  const { id: roomId } = await openRoom(service, host);
  const { id: giftRoomId } = await openRoom(service, giftHost);
  const { id: conversationId } = await service.call<{ id: string }>("POST", "/conversations", {
    token: ada.token,
    body: { peer_id: grace.id },
  });
  const giftId = await cheapestGift(service, recipient);

  // The limits are part of what is measured; only registering so many people needs them off.
  await service.restart({ RATE_LIMITS: "on" });
  return {
    service,
    attacker,
    roomId,
    talkers: [host, talker],
    pair: [ada, grace],
    conversationId,
    givers: rest,
    recipient,
    giftRoomId,
    giftId,
  };
}

/** Measures, for others, how long chat and direct messages take from being sent to being received, milliseconds. */
async function measure(scene: Scene, seconds: number): Promise<Measured> {
  const { service, roomId, talkers, pair, conversationId } = scene;
  const [speaker, listener] = await Promise.all(talkers.map((person) => enter(service.url, person, roomId)));
  const receiver = await connect(service.url, pair[1]);
  const measured = { chat: hdr.build(), messages: hdr.build() };
  const workDone = await observeWork(service);
  const sentMs = new Map<string, number>();
  const note = (histogram: hdr.Histogram) => (body: string) => {
    const since = sentMs.get(body);
    if (since !== undefined && sentMs.delete(body)) histogram.recordValue((performance.now() - since) * 100);
  };
  listener!.on("room:new_message", ({ message }: { message: { body: string } }) => note(measured.chat)(message.body));
  receiver.on("dm:new", ({ message }: { message: { body: string } }) => note(measured.messages)(message.body));

  const untilMs = performance.now() + seconds * 1000;
  let failed = 0;
  const talk = async (everyMs: number, send: (body: string) => Promise<unknown>) => {
    const waiting: Promise<unknown>[] = [];
    for (let nth = 0; performance.now() < untilMs; nth += 1) {
      const body = `${everyMs} ${nth} ${performance.now()}`;
      sentMs.set(body, performance.now());
      waiting.push(send(body).catch(() => (failed += 1)));
      await pause(everyMs);
    }
    await Promise.all(waiting);
  };
  await Promise.all([
    talk(chatEveryMs, (body) => speaker!.timeout(20_000).emitWithAck("room:message", { room_id: roomId, body })),
    talk(messageEveryMs, (body) =>
      service.call("POST", `/conversations/${conversationId}/messages`, { token: pair[0].token, body: { body } }),
    ),
  ]);
  const work = await workDone();
  for (let waited = 0; sentMs.size > failed && waited < 400; waited += 1) await pause(50);
  // What never came is as late as can be.
  for (const [body, since] of sentMs)
    (body.startsWith(`${chatEveryMs} `) ? measured.chat : measured.messages).recordValue(
      (performance.now() - since) * 100,
    );
  for (const socket of [speaker!, listener!, receiver]) socket.disconnect();
  return { ...measured, work };
}

/** Returns a function that tells what the service has done meanwhile. */
async function observeWork(service: Service): Promise<() => Promise<Work>> {
  const read = async () => ({
    atMs: performance.now(),
    busy: await totalOf(service, "hubbub_event_loop_busy_seconds_total"),
    cpu: await totalOf(service, "process_cpu_seconds_total"),
    mailbox: await bucketsOf(service, "hubbub_actor_mailbox_wait_seconds"),
    lag: await bucketsOf(service, "hubbub_outbox_lag_seconds", 'stage="push"'),
  });
  const before = await read();
  return async () => {
    const after = await read();
    const seconds = (after.atMs - before.atMs) / 1000;
    return {
      busy: (after.busy - before.busy) / seconds,
      cpu: (after.cpu - before.cpu) / seconds,
      mailboxMs: quantileOf(since(before.mailbox, after.mailbox), 0.95) * 1000,
      lagMs: quantileOf(since(before.lag, after.lag), 0.95) * 1000,
    };
  };
}

/** Begins the attack in a thread of its own, so that this one measures the service and not its own work. */
async function beginAttack(scene: Scene, giving: readonly Person[]): Promise<{ stop(): Promise<Sent> }> {
  const { service, attacker, roomId, giftRoomId, giftId, recipient } = scene;
  const orders: Orders = { url: service.url, attacker, roomId, giftRoomId, giftId, recipient, givers: giving };
  const worker = new Worker(new URL("./fairness-attack.ts", import.meta.url), { workerData: orders });
  await once(worker, "message");
  return {
    stop: async () => {
      worker.postMessage("stop");
      const [sent] = (await once(worker, "message")) as [Sent];
      await worker.terminate();
      return sent;
    },
  };
}

const at = (histogram: hdr.Histogram, percentile: number): number => histogram.getValueAtPercentile(percentile) / 100;

function report(rounds: readonly Round[], seconds: number): void {
  const row = (run: string, { chat, messages, work }: Measured) => ({
    run,
    "chat p50 ms": at(chat, 50).toFixed(1),
    "chat p95 ms": at(chat, 95).toFixed(1),
    "DM p50 ms": at(messages, 50).toFixed(1),
    "DM p95 ms": at(messages, 95).toFixed(1),
    "main thread busy": work.busy.toFixed(2),
    "CPU, cores": work.cpu.toFixed(2),
    "mailbox p95 ms": `≤ ${work.mailboxMs}`,
    "relay lag p95 ms": `≤ ${work.lagMs}`,
  });
  printTable(
    rounds.flatMap(({ idle, attacked, stormed }) => [
      row("idle", idle),
      row("attacked", attacked),
      row("stormed", stormed),
    ]),
  );
  for (const { sent } of rounds.flatMap(({ attacked, stormed }) => [attacked, stormed]))
    say(
      `the attacker sent ${sent.events} events, ${sent.rejected} were rejected, ${sent.closed} connections closed; ` +
        `${(sent.gifts / seconds).toFixed(0)} gifts/s`,
    );

  const slowdown = median(rounds.map(({ idle, attacked }) => at(attacked.chat, 95) - chatFactor * at(idle.chat, 95)));
  const messageMs = median(
    rounds.map(({ attacked, stormed }) => Math.max(...[attacked, stormed].map(({ messages }) => at(messages, 95)))),
  );
  judge(
    `chat p95 is ${slowdown.toFixed(1)} ms above ${chatFactor} × that of the idle run (target: at most ${chatFloorMs})`,
    slowdown <= chatFloorMs,
  );
  judge(`direct messages: p95 ${messageMs.toFixed(0)} ms (target: ${messageMaxMs})`, messageMs <= messageMaxMs);
}
