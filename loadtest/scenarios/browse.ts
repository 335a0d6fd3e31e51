import type { Hubbub } from "#shared/client/client.ts";
import type { Scenario } from "../tool/scenario.ts";

/** What an app reads while someone looks around, and how often. */
const reads: readonly { weight: number; name: string; read: (client: Hubbub, seen: Seen) => Promise<unknown> }[] = [
  {
    weight: 20,
    name: "listRooms",
    read: async (client, seen) => {
      const { items } = await client.rooms.list({ limit: 20 });
      seen.roomIds = items.map(({ id }) => id);
    },
  },
  {
    weight: 15,
    name: "getRoom",
    read: (client, { roomIds }) => (roomIds[0] ? client.rooms.get(roomIds[0]) : client.rooms.list()),
  },
  { weight: 10, name: "getMe", read: (client) => client.users.me() },
  { weight: 10, name: "getFeed", read: (client) => client.posts.feed() },
  { weight: 10, name: "listNotifications", read: (client) => client.notifications.list() },
  { weight: 5, name: "getUnreadNotificationCount", read: (client) => client.notifications.unread() },
  { weight: 5, name: "listConversations", read: (client) => client.conversations.list() },
  { weight: 5, name: "getWallet", read: (client) => client.wallet.get() },
  { weight: 5, name: "listGifts", read: (client) => client.gifts.list() },
  { weight: 5, name: "searchUsers", read: (client) => client.users.search({ q: "load" }) },
  { weight: 4, name: "getLeaderboard", read: (client) => client.leaderboard({ scope: "popular_rooms" }) },
  { weight: 3, name: "listOnlineUsers", read: (client) => client.users.online() },
  { weight: 2, name: "listFrames", read: (client) => client.store.frames() },
  { weight: 1, name: "getPublicConfig", read: (client) => client.config() },
];

interface Seen {
  roomIds: readonly string[];
}

export const browse: Scenario = {
  description: "a mix of reads over REST, as an app makes them while someone looks around",
  doors: ["rest"],
  clients: 50,
  rate: 100,
  rooms: 1,
  open: async (crew) => {
    const seen: Seen = { roomIds: [] };
    return {
      act: ({ dueMs }) => {
        const { client } = crew.dice.pick(crew.members);
        const { name, read } = crew.dice.weighted(reads);
        return crew.measure(name, dueMs, () => read(client, seen));
      },
      close: () => {},
    };
  },
};
