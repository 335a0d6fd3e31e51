import { setTimeout as pause } from "node:timers/promises";
import { mapConcurrently } from "../game-tables.ts";
import type { Crew } from "../tool/crew.ts";
import {
  type Acknowledged,
  type Heard,
  lateViolations,
  lostViolations,
  messageNumber,
  orderViolations,
} from "../tool/hearing.ts";
import type { Play, Scenario } from "../tool/scenario.ts";
import { now } from "../tool/times.ts";

const lateMs = 10_000;

export const dm: Scenario = {
  description: "direct messages over REST, heard over Socket.IO: each once, in the order of the conversation",
  doors: ["rest"],
  clients: 40,
  rate: 40,
  rooms: 1,
  open: async (crew) => {
    await crew.connect();
    return write(crew, await openConversations(crew));
  },
};

/** Neighbours write to each other. Returns the conversation of each member. */
async function openConversations(crew: Crew): Promise<string[]> {
  return mapConcurrently([...crew.members.entries()], 8, async ([index, { client }]) => {
    const peer = crew.members[index ^ 1]!;
    return (await client.conversations.open(peer.id)).id;
  });
}

function write(crew: Crew, conversations: readonly string[]): Play {
  const mark = `load-${crew.options.seed}`;
  const acknowledged: Acknowledged[] = [];
  const heard = crew.members.map(({ client, id, name }, index): Heard => {
    const numbers: number[] = [];
    client.on("dm:new", ({ conversation_id, message }) => {
      const [found, number, dueMs] = message.body.split(" ");
      // Senders hear their own messages too, on all their devices.
      if (found !== mark || message.sender_id === id || conversation_id !== conversations[index]) return;
      numbers.push(Number(number));
      crew.tally.succeeded("dm:hear", Number(dueMs), now() - Number(dueMs));
    });
    return { listener: name, room: conversations[index]!, numbers };
  });
  let count = 0;
  const senders = new Map<number, number>();
  /** What someone's peer has written. */
  const toOne = (index: number) => acknowledged.filter(({ number }) => senders.get(number) === (index ^ 1));
  const lost = () => heard.flatMap((one, index) => lostViolations([one], toOne(index)));
  return {
    act: async ({ dueMs }) => {
      const index = count % crew.members.length;
      const number = messageNumber(crew.options.worker, count++);
      const [room, sentMs] = [conversations[index]!, now()];
      senders.set(number, index);
      const send = () => crew.members[index]!.client.conversations.send(room, `${mark} ${number} ${dueMs}`);
      const { error } = await crew.measure("dm", dueMs, send);
      if (!error) acknowledged.push({ number, room, sentMs, acknowledgedMs: now() });
    },
    finish: async () => {
      for (const givenUpMs = now() + lateMs; lost().length > 0 && now() < givenUpMs; ) await pause(100);
      const order = heard.flatMap((one) => [...orderViolations([one]), ...lateViolations(one, acknowledged)]);
      for (const violation of [...lost(), ...order]) crew.violation(violation);
      return null;
    },
    close: () => crew.disconnect(),
  };
}
