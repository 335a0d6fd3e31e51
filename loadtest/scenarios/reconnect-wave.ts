import { setTimeout as pause } from "node:timers/promises";
import { checkHall, Hall } from "../tool/hall.ts";
import type { Scenario } from "../tool/scenario.ts";
import { openRooms } from "../tool/stage.ts";

/** Of so many arrivals, one is a message, so that there is something to miss. */
const messageEvery = 5;
/** How long someone is away. It counts from then how long they take to come back. */
const awayMs = 500;

export const reconnectWave: Scenario = {
  description: "people in rooms lose their connections and come back: nothing that was said meanwhile is missed",
  doors: ["socket", "colyseus"],
  clients: 100,
  rate: 25,
  rooms: 2,
  prepare: openRooms,
  open: async (crew, roomIds) => {
    await crew.connect();
    const hall = await Hall.open(crew, roomIds);
    let next = 0;
    const away = new Set<number>();
    return {
      act: async (arrival) => {
        if (arrival.number % messageEvery === 0) return hall.say(arrival, away);
        const index = next++ % hall.talkers.length;
        if (away.has(index)) return crew.tally.failed("reconnect", arrival.dueMs, "STILL_AWAY");
        away.add(index);
        const { member, room } = hall.talkers[index]!;
        member.client.disconnect();
        await pause(awayMs);
        member.client.connect();
        // The client sends it when it is back in the room.
        const sync = () => room.send("room:sync", { since_seq: room.state.seq });
        await crew.measure("reconnect", arrival.dueMs + awayMs, sync);
        away.delete(index);
      },
      notes: () => hall.notes(),
      finish: (notes) => hall.finish(notes),
      close: () => hall.close(),
    };
  },
  check: async (_stage, _people, found) => checkHall(found),
};
