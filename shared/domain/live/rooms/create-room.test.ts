import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { createRoom } from "./create-room.ts";

describe("creating a room", () => {
  useService();

  it("lets a user have ten open rooms, however many are created at once", async () => {
    const host = await buildUser();
    const room = { name: "Jazz", category: "music", language: "en", description: "", is_private: false, seat_count: 8 };
    const create = () => outcomeOf(createRoom(callerOf(host), room));

    const outcomes = await Promise.all(Array.from({ length: 13 }, create));

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(10);
    expect(outcomes.filter((outcome) => outcome === "CONFLICT")).to.have.length(3);
    expect(await query("SELECT FROM rooms WHERE host_id = $1", [host.id])).to.have.length(10);
  });
});
