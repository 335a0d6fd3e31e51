import { expect } from "chai";
import type { UserCard } from "#shared/contracts/views.ts";
import { emptyLive } from "#shared/domain/live/rooms/live.ts";
import type { RoomRow } from "#shared/domain/live/rooms/rooms.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Membership, RoomData } from "./room-data.ts";

const cardOf = (id: string) => ({ id, username: id }) as UserCard;
const host = newId();
const moderator = newId();
const seated = newId();

/** A room with the host, a moderator, and a user on a seat, who have joined last, and guests. */
function crowdOf(count: number, row: Partial<RoomRow> = {}): RoomData {
  const live = emptyLive(8);
  const seats = live.seats.map((seat, index) => (index === 3 ? { ...seat, userId: seated } : seat));
  const data = new RoomData(
    { id: newId(), host_id: host, is_private: false, ...row } as RoomRow,
    { ...live, seats },
    {
      epoch: 1,
      lastMessageId: null,
      moderators: [moderator],
      bans: [],
      rules: undefined,
      giftsReceived: new Map(),
      pendingGiftIds: [],
    },
  );
  const guests = Array.from({ length: count - 3 }, newId);
  for (const id of [...guests, seated, moderator, host])
    data.members.set(id, { card: cardOf(id), joinedAt: "", connections: new Map() } as unknown as Membership);
  return data;
}

const guest = newId();
const shownIn = (data: RoomData, viewer = guest) =>
  data.roomView(viewer, cardOf(host)).members.map(({ user }) => user.id);

describe("the members of a room", () => {
  it("are all in its view, if they are at most 300", () => {
    expect(new Set(shownIn(crowdOf(300)))).to.have.property("size", 300);
  });

  it("are the first of a larger crowd, with the number of all, and the others by page", () => {
    const data = crowdOf(301);
    const shown = shownIn(data);
    expect(shown).to.have.length(50);
    expect(shown.slice(0, 4)).to.deep.equal([host, moderator, seated, [...data.members.keys()][0]]);
    expect(data.roomView(guest, cardOf(host)).member_count).to.equal(301);

    const pages = [1, 2, 3, 4, 5, 6, 7, 8].map((page) => data.membersPage(guest, { page, limit: 50 }));
    const listed = pages.flatMap(({ items }) => items.map(({ user }) => user.id));
    expect(listed.slice(0, 50)).to.deep.equal(shown);
    expect(listed)
      .to.have.length(301)
      .and.have.members([...data.members.keys()]);
    expect(pages[6]).to.deep.include({ page: 7, limit: 50, total: 301, total_pages: 7 });
  });

  it("of a private room are hidden from users without a role in it", () => {
    const data = crowdOf(5, { is_private: true });
    expect(shownIn(data)).to.deep.equal([]);
    expect(data.membersPage(guest, { page: 1, limit: 50 })).to.deep.include({ items: [], total: 0 });
    expect(data.membersPage(moderator, { page: 1, limit: 50 }).items).to.have.length(5);
  });
});
