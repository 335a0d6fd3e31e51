import { setTimeout as pause } from "node:timers/promises";
import * as hdr from "hdr-histogram-js";
import pg from "pg";
import { io, type Socket } from "socket.io-client";
import { cheapestGift, raiseSignupBonus } from "./gift-scene.ts";
import { printTable, say } from "./report.ts";
import { openRoom, type Person, register, type Service, startService } from "./service.ts";

const sockets = 32;
const givers = 24;
/** Events per second on each connection, and calls per second of one user: the most that the limits permit. */
const eventsPerSecond = 20;
const profileEveryMs = 150;

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
}

/**
 * One account does the most that it is permitted on all its connections, and people give gifts in another room. Others must
 * hardly notice: fails if the p95 of their chat is more than twice that of an idle run of the same process, plus 5 ms, or if
 * the p95 of their direct messages is above 500 ms.
 */
export async function fairness({ seconds }: { seconds: number }): Promise<void> {
  const scene = await makeScene();
  const { service } = scene;
  await measure(scene, 2); // Warms up.
  const idle = await measure(scene, seconds);

  say(`${sockets} sockets of one account flood a room, and ${givers} people give gifts in another`);
  const attack = await beginAttack(scene);
  await pause(1000);
  const attacked = await measure(scene, seconds);
  const sent = await attack.stop();
  await service.stop();

  report({ idle, attacked, sent, seconds });
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
  const [speaker, listener] = await Promise.all(talkers.map((person) => enter(service, person, roomId)));
  const receiver = await connect(service.url, pair[1]);
  const measured = { chat: hdr.build(), messages: hdr.build() };
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
  for (let waited = 0; sentMs.size > failed && waited < 400; waited += 1) await pause(50);
  // What never came is as late as can be.
  for (const [body, since] of sentMs)
    (body.startsWith(`${chatEveryMs} `) ? measured.chat : measured.messages).recordValue(
      (performance.now() - since) * 100,
    );
  for (const socket of [speaker!, listener!, receiver]) socket.disconnect();
  return measured;
}

interface Sent {
  events: number;
  rejected: number;
  gifts: number;
}

/** Begins what one account, and people who give gifts, are permitted to do at most. */
async function beginAttack(scene: Scene): Promise<{ stop(): Promise<Sent> }> {
  const { service, attacker, roomId, giftRoomId, giftId, recipient } = scene;
  const sent: Sent = { events: 0, rejected: 0, gifts: 0 };
  let stopped = false;
  const flooding: Socket[] = [];
  for (let nth = 0; nth < sockets; nth += 1) {
    const socket = await connect(service.url, attacker).catch(() => undefined);
    if (socket) flooding.push(socket);
  }
  await flooding[0]!.emitWithAck("room:join", { room_id: roomId });
  await enter(service, recipient, giftRoomId);
  await Promise.all(scene.givers.map((giver) => enter(service, giver, giftRoomId)));

  const flood = async (socket: Socket) => {
    for (let nth = 0; !stopped; nth += 1) {
      sent.events += 1;
      socket.emit(
        nth % 2 ? "seat:cancel" : "seat:request",
        { room_id: roomId },
        ({ success }: { success: boolean }) => {
          if (!success) sent.rejected += 1;
        },
      );
      await pause(1000 / eventsPerSecond);
    }
  };
  const rename = async () => {
    for (let nth = 0; !stopped; nth += 1) {
      const body = { full_name: `Load Test ${nth % 9}` };
      void service.call("PATCH", "/users/me", { token: attacker.token, body }).catch(() => undefined);
      await pause(profileEveryMs);
    }
  };
  const give = async ({ token }: Person) => {
    const body = { gift_id: giftId, recipient_id: recipient.id, quantity: 1 };
    while (!stopped)
      await service.call("POST", `/rooms/${giftRoomId}/gifts`, { token, body }).then(
        () => (sent.gifts += 1),
        () => pause(50),
      );
  };
  const all = [...flooding.map(flood), rename(), ...scene.givers.map(give)];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(all);
      for (const socket of flooding) socket.disconnect();
      return sent;
    },
  };
}

const at = (histogram: hdr.Histogram, percentile: number): number => histogram.getValueAtPercentile(percentile) / 100;

function report({
  idle,
  attacked,
  sent,
  seconds,
}: {
  idle: Measured;
  attacked: Measured;
  sent: Sent;
  seconds: number;
}): void {
  const row = (run: string, { chat, messages }: Measured) => ({
    run,
    "chat p50 ms": at(chat, 50).toFixed(1),
    "chat p95 ms": at(chat, 95).toFixed(1),
    "DM p50 ms": at(messages, 50).toFixed(1),
    "DM p95 ms": at(messages, 95).toFixed(1),
  });
  printTable([row("idle", idle), row("attacked", attacked)]);
  say(
    `the attacker sent ${sent.events} events, ${sent.rejected} were rejected; ${(sent.gifts / seconds).toFixed(0)} gifts/s`,
  );

  const chatMaxMs = chatFactor * at(idle.chat, 95) + chatFloorMs;
  const failures = [
    ...(at(attacked.chat, 95) > chatMaxMs ? [`chat p95 is above ${chatMaxMs.toFixed(1)} ms`] : []),
    ...(at(attacked.messages, 95) > messageMaxMs ? [`the p95 of direct messages is above ${messageMaxMs} ms`] : []),
  ];
  for (const failure of failures) say(failure);
  if (failures.length > 0) process.exitCode = 1;
}

async function enter(service: Service, person: Person, room_id: string): Promise<Socket> {
  const socket = await connect(service.url, person);
  const joined = (await socket.emitWithAck("room:join", { room_id })) as { success: boolean; error?: object };
  if (!joined.success) throw new Error(`not in the room: ${JSON.stringify(joined.error)}`);
  return socket;
}

async function connect(url: string, { token }: Person): Promise<Socket> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}
