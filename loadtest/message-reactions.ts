import { io, type Socket } from "socket.io-client";
import { judge, median, printTable, say } from "./report.ts";
import { openRoom, register, type Service, startService } from "./service.ts";
import { untilDue } from "./until-due.ts";

interface Options {
  clients: number;
  rate: number;
  seconds: number;
  rounds: number;
}

/** What the reactions are compared with: messages per second. */
const chatRate = 50;
const emojis = ["❤️", "👍", "😂", "🔥", "🎉", "👏"];

interface Row {
  readonly chat: number;
  readonly reactions: number;
  readonly events: number;
}

/** Measures what reactions in a full room cost the server, compared with chat there. */
export async function messageReactions(options: Options): Promise<void> {
  const { clients, rate, seconds, rounds } = options;
  const service = await startService();
  const rows: Row[] = [];
  try {
    const people = await register(service, clients);
    const { id } = await openRoom(service, people[0]!);
    const sockets: Socket[] = [];
    for (const { token } of people) sockets.push(await enter(service.url, token, id));
    say(`${clients} clients in one room, ${rate} reactions or ${chatRate} messages per second, ${seconds} s per run`);
    await cpuOf(service, () => chat(sockets, id, 3));
    for (let round = 0; round < rounds; round += 1) rows.push(await measure(service, sockets, id, options));
    for (const socket of sockets) socket.disconnect();
  } finally {
    await service.stop();
  }
  printTable(
    rows.map(({ chat: ofChat, reactions, events }) => ({
      "CPU of chat s": ofChat.toFixed(2),
      "CPU of reactions s": reactions.toFixed(2),
      "events per second": (events / seconds).toFixed(1),
    })),
  );
  const ratio = median(rows.map((row) => row.reactions / row.chat));
  judge(
    `${rate} reactions per second cost ${ratio.toFixed(2)} × the CPU of ${chatRate} messages (target: at most 1)`,
    ratio <= 1,
  );
}

async function measure(service: Service, sockets: readonly Socket[], roomId: string, options: Options): Promise<Row> {
  const ofChat = await cpuOf(service, () => chat(sockets, roomId, options.seconds));
  let events = 0;
  const heard = () => {
    events += 1;
  };
  sockets[1]!.on("message:reacted", heard);
  const message = await ask(sockets[0]!, "room:message", { room_id: roomId, body: "Clap!" });
  const reactions = await cpuOf(service, () =>
    steadily(options.rate, options.seconds, (count) => {
      const turn = Math.floor(count / sockets.length);
      const emoji = emojis[Math.floor(turn / 2) % emojis.length]!;
      const event = turn % 2 === 0 ? "message:react" : "message:unreact";
      return ask(sockets[count % sockets.length]!, event, { room_id: roomId, message_id: message.id, emoji });
    }),
  );
  sockets[1]!.off("message:reacted", heard);
  return { chat: ofChat, reactions, events };
}

const chat = (sockets: readonly Socket[], room_id: string, seconds: number) =>
  steadily(chatRate, seconds, (count) =>
    ask(sockets[count % sockets.length]!, "room:message", { room_id, body: "good evening to everyone in this room" }),
  );

async function cpuOf(service: Service, work: () => Promise<unknown>): Promise<number> {
  const before = await service.cpuSeconds();
  await work();
  return (await service.cpuSeconds()) - before;
}

/** Does something at a constant rate, independent of its replies (open loop). */
async function steadily(rate: number, seconds: number, act: (count: number) => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  const answers: Promise<unknown>[] = [];
  for (let count = 0; count < rate * seconds; count += 1) {
    const dueMs = startedMs + (count * 1000) / rate;
    await untilDue(dueMs);
    answers.push(act(count));
  }
  await Promise.all(answers);
}

async function ask(socket: Socket, event: string, payload: object): Promise<{ id: string }> {
  const answer = await socket.timeout(10_000).emitWithAck(event, payload);
  if (!answer.success) throw new Error(`${event} was answered with ${JSON.stringify(answer)}`);
  return answer.data;
}

async function enter(url: string, token: string, room_id: string): Promise<Socket> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  await ask(socket, "room:join", { room_id });
  return socket;
}
