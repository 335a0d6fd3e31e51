import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { buildRoom } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { LiveRooms } from "./live-rooms.ts";

describe("the live rooms of a process", () => {
  useService();

  it("are stored until it stops, and not by actors that end later", async () => {
    const rooms = new LiveRooms();
    const { id: roomId } = await buildRoom();
    const people = (member_count: number) => rooms.say({ roomId, epoch: 1, member_count, seated_count: 0 });
    const stored = () =>
      query("SELECT member_count FROM live_rooms WHERE process_id = $1 AND room_id = $2", [
        matchMaker.processId,
        roomId,
      ]);
    await rooms.start(async () => []);
    people(2);
    await rooms.settle();
    expect(await stored()).to.deep.equal([{ member_count: 2 }]);

    people(3);
    const stopped = rooms.stop();
    people(1);
    await stopped;
    people(1);
    await rooms.settle();
    expect(await stored()).to.deep.equal([]);
  });
});
