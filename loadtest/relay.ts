import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import * as hdr from "hdr-histogram-js";
import pg from "pg";
import { io, type Socket } from "socket.io-client";
import {
  backlogOf,
  type GiftScene,
  joinAll,
  type Pair,
  raiseSignupBonus,
  setScene,
  untilDelivered,
} from "./gift-scene.ts";
import { judge, say } from "./report.ts";
import { type Person, register, type Service, startService } from "./service.ts";

interface Options {
  connections: number;
  seconds: number;
  events: number;
}

const lagMaxMs = 100;
const aloneMin = 4000;
const aloneFactor = 3;
const messageEveryMs = 200;
const messageMaxMs = 500;

/**
 * Measures the relay of the outbox: what it delivers when nothing else runs; how late a gift's animation and others'
 * direct messages are while people give gifts as fast as they can; and whether it keeps up. Fails if a target is
 * missed.
 */
export async function relay({ connections, seconds, events }: Options): Promise<void> {
  const service = await startService();
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  try {
    await raiseSignupBonus(pool);
    const scene = await setScene(service, connections);
    const bystanders = await introduce(service);
    await joinAll(service, scene);
    await untilDelivered(pool);
    const idle = await messageTimes(bystanders, seconds / 3);
    const storm = await measureStorm(service, pool, scene, bystanders, seconds);
    const alone = await measureAlone(pool, { ...scene, roomIds: [scene.roomId] }, events);

    const { lags, backlog, messages, perSecond } = storm;
    judge(
      `alone: ${alone.toFixed(0)} gifts per second, ${(alone / perSecond).toFixed(1)} × REST (target: ${aloneMin}, or ${aloneFactor} ×)`,
      alone >= aloneMin || alone >= aloneFactor * perSecond,
    );
    say(`  storm: ${perSecond.toFixed(0)} gifts per second over REST, ${connections} connections, one room`);
    const lag = (percentile: number) => lags.getValueAtPercentile(percentile) / 100;
    judge(
      `animation after the response: p50 ${lag(50).toFixed(1)} ms, p99 ${lag(99).toFixed(1)} ms, max ${lag(100).toFixed(1)} ms (target: p99 ${lagMaxMs} ms)`,
      lag(99) <= lagMaxMs,
    );
    const half = Math.ceil(backlog.length / 2);
    const most = (counts: readonly number[]) => Math.max(...counts);
    judge(
      `backlog, each half second: ${backlog.join(" ")} (target: no growth)`,
      most(backlog.slice(half)) <= 2 * most(backlog.slice(0, half)) + perSecond / 10,
    );
    judge(
      `others' direct messages: p95 ${p95(messages)} ms, idle ${p95(idle)} ms (target: ${messageMaxMs} ms)`,
      messages.getValueAtPercentile(95) / 100 <= messageMaxMs,
    );
  } finally {
    await pool.end();
    await service.stop();
  }
}

const p95 = (times: hdr.Histogram): string => (times.getValueAtPercentile(95) / 100).toFixed(1);

/** Who gives gifts to whom in which rooms. */
export interface Scene extends Pick<GiftScene, "pairs"> {
  readonly roomIds: readonly string[];
}

/**
 * Has the relay find many gifts at once, in these rooms in turn. Returns how many it delivers per second, with the
 * notifications that follow.
 */
export async function measureAlone(pool: pg.Pool, { pairs, roomIds }: Scene, events: number): Promise<number> {
  const { rows } = await pool.query<{ gift: object; card: object }>(
    `SELECT to_jsonb(g) - 'retired_at' AS gift, jsonb_build_object('username', 'someone', 'full_name', 'Load Test',
       'avatar_url', null, 'frame', null, 'vip', null) AS card FROM gifts g LIMIT 1`,
  );
  const { gift, card } = rows[0]!;
  await pool.query(
    `INSERT INTO outbox (topic, payload)
     SELECT 'gift.sent', jsonb_build_object('transaction', jsonb_build_object('id', uuidv7(), 'room_id', ($1::text[])[1 + n % cardinality($1)],
       'gift', $2::jsonb, 'quantity', 1, 'total_coins', 2, 'created_at', now(),
       'sender', $3::jsonb || jsonb_build_object('id', ($4::text[])[1 + n % cardinality($4)]),
       'recipient', $3::jsonb || jsonb_build_object('id', ($5::text[])[1 + n % cardinality($5)])))
     FROM generate_series(1, $6) AS n`,
    [roomIds, gift, card, pairs.map(({ sender }) => sender.id), pairs.map(({ recipient }) => recipient.id), events],
  );
  return events / (await untilDelivered(pool));
}

interface Storm {
  readonly perSecond: number;
  /** From a gift's response to its animation, hundredths of a millisecond. */
  readonly lags: hdr.Histogram;
  readonly backlog: readonly number[];
  readonly messages: hdr.Histogram;
}

async function measureStorm(
  service: Service,
  pool: pg.Pool,
  scene: GiftScene,
  bystanders: readonly Bystander[],
  seconds: number,
): Promise<Storm> {
  const host = scene.pairs[0]!.sender;
  const watcher = await connect(service, host);
  await watcher.emitWithAck("room:join", { room_id: scene.roomId });
  const lags = hdr.build();
  const respondedMs = new Map<string, number[]>();
  const shownMs = new Map<string, number[]>();
  const note = (senderId: string, mine: Map<string, number[]>, theirs: Map<string, number[]>) => {
    const other = theirs.get(senderId)?.shift();
    if (other === undefined) mine.set(senderId, [...(mine.get(senderId) ?? []), performance.now()]);
    // An animation may come before the response.
    else lags.recordValue(mine === shownMs ? (performance.now() - other) * 100 : 0);
  };
  watcher.on("gift:animation", ({ sender }: { sender: { id: string } }) => note(sender.id, shownMs, respondedMs));

  const backlog: number[] = [];
  const counting = setInterval(async () => backlog.push(await backlogOf(pool)), 500);
  const [gifts, messages] = await Promise.all([
    giveGifts(service, scene, seconds, ({ sender }) => note(sender.id, respondedMs, shownMs)),
    messageTimes(bystanders, seconds),
  ]);
  clearInterval(counting);
  await untilDelivered(pool);
  await pause(200);
  watcher.disconnect();
  return { perSecond: gifts / seconds, lags, backlog, messages };
}

async function giveGifts(
  service: Service,
  { roomId, giftId, pairs }: GiftScene,
  seconds: number,
  onResponse: (pair: Pair) => void,
): Promise<number> {
  let next = 0;
  const result = await autocannon({
    url: `${service.url}/api/v1/rooms/${roomId}/gifts`,
    method: "POST",
    connections: pairs.length,
    duration: seconds,
    setupClient: (client) => {
      const pair = pairs[next % pairs.length]!;
      next += 1;
      client.on("response", () => onResponse(pair));
      client.setHeadersAndBody(
        { "content-type": "application/json", authorization: `Bearer ${pair.sender.token}` },
        JSON.stringify({ gift_id: giftId, recipient_id: pair.recipient.id, quantity: 1 }),
      );
    },
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} failed requests, ${result.errors} connection errors`);
  return result["2xx"];
}

/** Sends direct messages to someone else. */
interface Bystander {
  send(body: string): Promise<unknown>;
  /** The other's connection. */
  readonly receiver: Socket;
}

async function introduce(service: Service): Promise<Bystander[]> {
  const people = await register(service, 8);
  const pairs = people.slice(0, 4).map((from, index) => [from, people[index + 4]!] as const);
  return Promise.all(
    pairs.map(async ([{ token }, to]) => {
      const { id } = await service.call<{ id: string }>("POST", "/conversations", { token, body: { peer_id: to.id } });
      const send = (body: string) => service.call("POST", `/conversations/${id}/messages`, { token, body: { body } });
      return { send, receiver: await connect(service, to) };
    }),
  );
}

/** Measures the time from sending a message to its arrival, hundredths of a millisecond. */
async function messageTimes(bystanders: readonly Bystander[], seconds: number): Promise<hdr.Histogram> {
  const times = hdr.build();
  const untilMs = performance.now() + seconds * 1000;
  await Promise.all(
    bystanders.map(async ({ send, receiver }, index) => {
      await pause((index * messageEveryMs) / bystanders.length);
      while (performance.now() < untilMs) {
        const startedMs = performance.now();
        const arrived = new Promise((resolve) => receiver.once("dm:new", resolve));
        await Promise.all([send(`${startedMs}`), arrived]);
        times.recordValue((performance.now() - startedMs) * 100);
        await pause(messageEveryMs);
      }
    }),
  );
  return times;
}

async function connect(service: Service, { token }: Person): Promise<Socket> {
  const socket = io(service.url, { auth: { token }, transports: ["websocket"], forceNew: true });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return socket;
}
