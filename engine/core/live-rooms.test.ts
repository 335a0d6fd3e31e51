import { matchMaker } from "@colyseus/core";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { buildRoom } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { LiveRooms } from "./live-rooms.ts";

describe("the live rooms of a process", () => {
  useService();

  async function useRoom() {
    const rooms = new LiveRooms();
    const { id: roomId } = await buildRoom();
    const people = (member_count: number, epoch = 1) => rooms.say({ roomId, epoch, member_count, seated_count: 0 });
    const stored = () =>
      query("SELECT member_count FROM live_rooms WHERE process_id = $1 AND room_id = $2", [
        matchMaker.processId,
        roomId,
      ]);
    return { rooms, roomId, people, stored };
  }

  it("are stored until it stops, and not by actors that end later", async () => {
    const { rooms, people, stored } = await useRoom();
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

  it("keep what a new actor says if the one before it ends later, before that is stored or after", async () => {
    const { rooms, roomId, people, stored } = await useRoom();
    people(2, 1);
    await rooms.settle();
    people(3, 2);
    people(0, 1);
    await rooms.settle();
    expect(await stored()).to.deep.equal([{ member_count: 3 }]);
    people(0, 1);
    await rooms.settle();
    expect(await stored()).to.deep.equal([{ member_count: 3 }]);
    expect([rooms.people, rooms.peopleIn(roomId)]).to.deep.equal([3, 3]);

    people(0, 2);
    await rooms.settle();
    expect([await stored(), rooms.people]).to.deep.equal([[], 0]);
    await rooms.stop();
  });
});
