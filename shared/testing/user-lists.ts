import type { Actors } from "#shared/contracts/actors.ts";
import { describe } from "../../api/docs/json-schema.ts";
import type { Route } from "../../api/http/route.ts";
import { socialApi } from "../../api/social-api.ts";
import { noEngine } from "./no-engine.ts";
import { idOf, moneyColumns, type Seed, user } from "./user-list-seeds.ts";

/** Answers the one question that lists ask of a room: the viewer's role. */
const hostOfAll: Actors = {
  ...noEngine,
  voice: (async () => ({ ok: true, value: { my_role: "host" } })) as unknown as Actors["voice"],
};

/** Returns the operations of the social API that list something stored, page by page or by a cursor, whatever it is. */
export const userLists = (): Route[] =>
  socialApi({ actors: hostOfAll }).routes.filter(
    ({ id, method, query }) =>
      method === "get" && query && Object.hasOwn(describe(query).keys ?? {}, "limit") && id !== "listRoomMembers",
  );

/** How many rows are seeded. */
export interface UserListSizes {
  /** Users, and rows of each other kind that users list. */
  readonly rows: number;
  /** How many rows of each kind are the viewer's. */
  readonly own: number;
  /** The first row that is made: the ones before it are left out. */
  readonly from?: number;
}

/** What the seeded rows belong to. */
export interface SeededIds {
  readonly viewerId: string;
  readonly roomId: string;
  readonly postId: string;
  readonly webhookId: string;
}

/** The tables that `userListRows` fills. */
export const userListTables = [
  "users",
  "sessions",
  "user_follows",
  "user_blocks",
  "friendships",
  "friend_requests",
  "online_users",
  "rooms",
  "room_bans",
  "room_messages",
  "gift_transactions",
  "game_sessions",
  "game_players",
  "conversations",
  "conversation_members",
  "direct_messages",
  "posts",
  "post_comments",
  "notifications",
  "ledger_movements",
  "ledger_entries",
  "payment_orders",
  "payouts",
  "seller_transfers",
  "webhook_deliveries",
  "leaderboard_scores",
  "agencies",
  "agency_staff",
  "agency_invitations",
  "contracts",
  "runs",
  "run_lines",
] as const;
type Table = (typeof userListTables)[number];

/** The rows of which one is the viewer's. */
const everyOf = ({ rows, own }: UserListSizes): number => Math.floor(rows / own);

/** Returns the ID of the first row of a kind that is the viewer's. */
function firstOwn(kind: number, sizes: UserListSizes): string {
  const hex = (n: number, length: number) => Math.floor(n).toString(16).padStart(length, "0");
  const n = everyOf(sizes);
  return `01900000-${hex(n / 65_536, 4)}-7${hex(kind, 3)}-8000-${hex(n, 12)}`;
}

/** Returns the ID of a conversation of the viewer with one other. */
const ownConversation = (sizes: UserListSizes): string => firstOwn(9, sizes);

/** Returns the ID of an agency of the viewer. */
const ownAgency = (sizes: UserListSizes): string => firstOwn(18, sizes);

const groupId = "01900000-0000-7063-8000-000000000001";

/** SQL for a group of the viewer with 60 of the seeded users. */
const groupRows = (viewerId: string): string => `
  WITH made AS (
    INSERT INTO conversations (id, kind, name, owner_id, started_by)
    VALUES ('${groupId}', 'group', 'Group', '${viewerId}', '${viewerId}')
  )
  INSERT INTO conversation_members (conversation_id, user_id, role, joined_at)
  SELECT '${groupId}', id, 'member', now() FROM (
    SELECT '${viewerId}'::uuid AS id UNION (SELECT id FROM users WHERE username LIKE 'crowd%' LIMIT 60)
  ) AS people`;

/** Returns the ID of what a list belongs to. */
export function ownerIn(path: string, ids: SeededIds, sizes: UserListSizes): string {
  if (path === "/conversations/:id/members") return groupId;
  if (path.startsWith("/conversations")) return ownConversation(sizes);
  if (path.startsWith("/rooms")) return ids.roomId;
  if (path.startsWith("/agencies")) return ownAgency(sizes);
  if (path.startsWith("/posts")) return ids.postId;
  return path.includes("/webhooks") ? ids.webhookId : ids.viewerId;
}

const columns: Readonly<Record<Table, (seed: Seed) => Readonly<Record<string, string>>>> = {
  users: (s) => ({
    id: user("n"),
    username: "'crowd_' || n",
    email: "'crowd' || n || '@example.com'",
    full_name: `CASE n % ${s.every} WHEN 0 THEN 'Grace ' ELSE 'Crowd ' END || n`,
    password_hash: "'-'",
    settings: "'{}'",
    last_seen_at: "now()",
  }),
  sessions: (s) => ({ id: idOf(2, "n"), user_id: s.owned(s.viewer, s.other), expires_at: "now() + interval '1 day'" }),
  user_follows: (s) => ({
    follower_id: `CASE n % ${s.every} WHEN 0 THEN ${s.viewer} ELSE ${user("n")} END`,
    followed_id: `CASE n % ${s.every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${s.viewer} ELSE ${s.other} END`,
  }),
  user_blocks: (s) => ({
    blocker_id: s.owned(s.viewer, user("n")),
    // Of people who aren't the viewer's friends, followers, and so on.
    blocked_id: s.owned(user("n + 2"), s.other),
  }),
  friendships: (s) => ({ user_id: s.owned(s.viewer, user("n")), friend_id: s.owned(user("n"), s.other) }),
  friend_requests: (s) => ({
    id: idOf(3, "n"),
    sender_id: `CASE n % ${s.every} WHEN 0 THEN ${s.viewer} ELSE ${user("n")} END`,
    recipient_id: `CASE n % ${s.every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${s.viewer} ELSE ${s.other} END`,
  }),
  online_users: () => ({
    user_id: user("n"),
    process_id: "'seeded'",
    lease_until: "now() + interval '1 day'",
  }),
  rooms: () => ({
    id: idOf(4, "n"),
    host_id: user("n"),
    name: "'Talk number ' || n",
    category: "(ARRAY['chat', 'music', 'games', 'education'])[1 + n % 4]",
    language: "'en'",
    seat_count: "8",
  }),
  room_bans: (s) => ({
    room_id: s.owned(s.roomId, idOf(4, "n")),
    user_id: user("n"),
    banned_by: s.viewer,
    banned_until: "now() + interval '1 day'",
  }),
  room_messages: (s) => ({
    // Not before the viewer's room, where no message can be.
    id: "uuidv7(n * interval '1 millisecond')",
    room_id: s.owned(s.roomId, idOf(4, "n")),
    user_id: user("n"),
    body: "'Hello'",
  }),
  gift_transactions: (s) => ({
    id: idOf(6, "n"),
    gift_id: "(SELECT min(id::text)::uuid FROM gifts)",
    room_id: s.roomId,
    sender_id: `CASE n % ${s.every} WHEN 0 THEN ${s.viewer} ELSE ${user("n")} END`,
    recipient_id: `CASE n % ${s.every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${s.viewer} ELSE ${s.other} END`,
    quantity: "1",
    unit_price: "10",
    total_coins: "10",
    recipient_coins: "5",
  }),
  game_sessions: () => ({
    id: idOf(7, "n"),
    lobby_id: idOf(8, "n"),
    type: "'tic_tac_toe'",
    status: "'finished'",
    seed: "''",
    state: "'{}'",
    finished_at: "now()",
  }),
  game_players: (s) => ({ session_id: idOf(7, "n"), user_id: s.owned(s.viewer, s.other), score: "1", place: "1" }),
  conversations: (s) => ({
    id: idOf(9, "n"),
    low_user_id: `least(${s.owned(s.viewer, user("n"))}, ${s.other})`,
    high_user_id: `greatest(${s.owned(s.viewer, user("n"))}, ${s.other})`,
    started_by: s.viewer,
    message_count: "1",
    last_message_id: idOf(10, "n"),
  }),
  conversation_members: (s) => ({
    conversation_id: idOf(9, "n"),
    user_id: s.owned(s.viewer, user("n")),
    peer_id: s.other,
    active_at: "now() - n * interval '1 second'",
  }),
  direct_messages: (s) => ({
    id: idOf(10, "n"),
    conversation_id: `CASE n % ${s.every} WHEN 1 THEN ${s.conversationId} ELSE ${idOf(9, "n")} END`,
    sender_id: s.owned(s.viewer, user("n")),
    body: "'Hello'",
    created_at: "now()",
  }),
  posts: (s) => ({ id: idOf(11, "n"), author_id: s.owned(s.viewer, s.other), content: "'Post ' || n" }),
  post_comments: (s) => ({
    id: idOf(12, "n"),
    post_id: s.owned(s.postId, idOf(11, "n")),
    author_id: s.other,
    content: "'Encore!'",
  }),
  notifications: (s) => ({
    id: idOf(13, "n"),
    user_id: s.owned(s.viewer, s.other),
    type: "'follow'",
    group_key: "'seeded ' || n",
    actor_id: user("n"),
    read_at: "CASE n % 3 WHEN 0 THEN now() END",
  }),
  ledger_movements: () => ({
    id: idOf(14, "n"),
    reference_type: "'adjustment'",
    reference_id: idOf(14, "n"),
    description: "'Seeded'",
  }),
  ledger_entries: (s) => ({
    id: idOf(15, "n"),
    movement_id: idOf(14, "n"),
    type: "(ARRAY['admin_adjustment', 'gift_sent', 'gift_received'])[1 + n % 3]",
    user_id: s.owned(s.viewer, s.other),
    asset: `CASE n / ${s.every} % 4 WHEN 0 THEN 'earnings' ELSE 'coins' END`,
    amount: "CASE n % 3 WHEN 1 THEN -10 ELSE 10 END",
    balance_after: "100",
    entry_no: "n",
  }),
  webhook_deliveries: (s) => ({
    id: idOf(16, "n"),
    endpoint_id: s.owned(s.webhookId, idOf(17, "n")),
    type: "'order.updated'",
    body: "'{}'",
    status: "'delivered'",
    delivered_at: "now()",
  }),
  ...moneyColumns,
  leaderboard_scores: () => ({
    scope: "'gift_senders'",
    week: "date_trunc('week', now())",
    subject_id: user("n"),
    score: "n",
    reached_at: "now()",
  }),
};

/**
 * Returns the statements that fill the tables that users list. Every so many rows one is the viewer's, or of their
 * room, conversation, post, or webhook. Run them without triggers and foreign keys (`session_replication_role =
 * replica`).
 */
export function userListRows(sizes: UserListSizes, ids: SeededIds): string[] {
  const { rows, from = 1 } = sizes;
  const every = everyOf(sizes);
  const text = (id: string) => `'${id}'::uuid`;
  const seed: Seed = {
    every,
    viewer: text(ids.viewerId),
    other: user(`1 + (n + ${rows / 2 + 7}) % ${rows}`),
    roomId: text(ids.roomId),
    conversationId: text(ownConversation(sizes)),
    agencyId: text(ownAgency(sizes)),
    postId: text(ids.postId),
    webhookId: text(ids.webhookId),
    owned: (id, other) => `CASE n % ${every} WHEN 0 THEN ${id} ELSE ${other} END`,
  };
  const tables = userListTables.map((table) => {
    const row = columns[table](seed);
    return `INSERT INTO ${table} (${Object.keys(row).join(", ")})
      SELECT ${Object.values(row).join(", ")} FROM generate_series(${from}, ${rows}) AS n`;
  });
  return [...tables, groupRows(ids.viewerId)];
}
