import { checkHall, Hall } from "../tool/hall.ts";
import type { Scenario } from "../tool/scenario.ts";
import { openRooms } from "../tool/stage.ts";

export const joinAndTalk: Scenario = {
  description: "chat in rooms: each message is heard once by everyone in the room, in one order",
  doors: ["socket", "colyseus"],
  clients: 100,
  rate: 20,
  rooms: 2,
  prepare: openRooms,
  open: async (crew, roomIds) => {
    await crew.connect();
    const hall = await Hall.open(crew, roomIds);
    return {
      act: (arrival) => hall.say(arrival),
      notes: () => hall.notes(),
      finish: (notes) => hall.finish(notes),
      close: () => hall.close(),
    };
  },
  check: async (_stage, _people, found) => checkHall(found),
};
