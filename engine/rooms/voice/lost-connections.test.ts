import { expect } from "chai";
import { lostConnections } from "./lost-connections.ts";
import type { Membership } from "./room-data.ts";

describe("lost connections of a room", () => {
  const connection = (id: string, processId: string) => [id, { id, processId, transport: "socket" }] as const;
  const member = (...connections: ReturnType<typeof connection>[]) =>
    ({ connections: new Map(connections) }) as unknown as Membership;
  const members = new Map([
    ["ada", member(connection("phone", "one"), connection("laptop", "two"))],
    ["bob", member(connection("tablet", "two"))],
    ["cid", member()],
  ]);

  it("are those of a process that is missed twice in a row, not of one that is missed for a moment", async () => {
    const missed = new Set<string>();
    const look = async (...away: string[]) =>
      (await lostConnections({ members }, missed, async (id) => away.includes(id))).map(({ id }) => id);
    expect(await look()).to.deep.equal([]);
    expect(await look("one")).to.deep.equal([]);
    expect(await look("two")).to.deep.equal([]);
    expect(await look("one", "two")).to.deep.equal(["laptop", "tablet"]);
    expect(await look("one")).to.deep.equal(["phone"]);
  });
});
