import type { Actors } from "#shared/contracts/actors.ts";
import { describe } from "../../api/docs/json-schema.ts";
import type { Route } from "../../api/http/route.ts";
import { socialApi } from "../../api/social-api.ts";
import { noEngine } from "./no-engine.ts";

/** Answers the one question that lists ask of a room: the viewer's role. */
const hostOfAll: Actors = {
  ...noEngine,
  voice: (async () => ({ ok: true, value: { my_role: "host" } })) as unknown as Actors["voice"],
};

/** Returns the operations of the social API that list something, page by page or by a cursor, whatever it is. */
export const userLists = (): Route[] =>
  socialApi({ actors: hostOfAll }).routes.filter(
    ({ method, query }) => method === "get" && query && Object.hasOwn(describe(query).keys ?? {}, "limit"),
  );

/** How many rows are seeded. */
export interface UserListSizes {
  /** Users, and rows of each other kind that users list. */
  readonly rows: number;
  /** How many rows of each kind are the viewer's. */
  readonly own: number;
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
  "webhook_deliveries",
  "leaderboard_scores",
] as const;
type Table = (typeof userListTables)[number];

/** SQL for an ID of row `n` of a kind, in the order of `n`. */
const idOf = (kind: number, n: string) =>
  `('01900000-' || lpad(to_hex((${n}) / 65536), 4, '0') || '-7' || lpad(to_hex(${kind}), 3, '0') || '-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const user = (n: string) => idOf(1, n);

/** The rows of which one is the viewer's. */
const everyOf = ({ rows, own }: UserListSizes): number => Math.floor(rows / own);

/** Returns the ID of a conversation of the viewer. */
export function ownConversation(sizes: UserListSizes): string {
  const hex = (n: number, length: number) => Math.floor(n).toString(16).padStart(length, "0");
  const n = everyOf(sizes);
  return `01900000-${hex(n / 65_536, 4)}-7009-8000-${hex(n, 12)}`;
}

/**
 * Returns the statements that fill the tables that users list. Every so many rows one is the viewer's, or of their room,
 * conversation, post, or webhook. Run them without triggers and foreign keys (`session_replication_role = replica`).
 */
export function userListRows(sizes: UserListSizes, ids: SeededIds): string[] {
  const { rows } = sizes;
  const every = everyOf(sizes);
  const text = (id: string) => `'${id}'::uuid`;
  const viewer = text(ids.viewerId);
  /** The viewer's in every so many rows, else another's. */
  const owned = (id: string, other: string) => `CASE n % ${every} WHEN 0 THEN ${id} ELSE ${other} END`;
  const other = user(`1 + (n + ${rows / 2 + 7}) % ${rows}`);
  const columns: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
    users: {
      id: user("n"),
      username: "'crowd_' || n",
      email: "'crowd' || n || '@example.com'",
      full_name: `CASE n % ${every} WHEN 0 THEN 'Grace ' ELSE 'Crowd ' END || n`,
      password_hash: "'-'",
      settings: "'{}'",
      last_seen_at: "now()",
    },
    sessions: { id: idOf(2, "n"), user_id: owned(viewer, other), expires_at: "now() + interval '1 day'" },
    user_follows: {
      follower_id: `CASE n % ${every} WHEN 0 THEN ${viewer} ELSE ${user("n")} END`,
      followed_id: `CASE n % ${every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${viewer} ELSE ${other} END`,
    },
    user_blocks: {
      blocker_id: owned(viewer, user("n")),
      // Of people who aren't the viewer's friends, followers, and so on.
      blocked_id: owned(user("n + 2"), other),
    },
    friendships: { user_id: owned(viewer, user("n")), friend_id: owned(user("n"), other) },
    friend_requests: {
      id: idOf(3, "n"),
      sender_id: `CASE n % ${every} WHEN 0 THEN ${viewer} ELSE ${user("n")} END`,
      recipient_id: `CASE n % ${every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${viewer} ELSE ${other} END`,
    },
    online_users: {
      user_id: user("n"),
      process_id: "'seeded'",
      lease_until: "now() + interval '1 day'",
    },
    rooms: {
      id: idOf(4, "n"),
      host_id: user("n"),
      name: "'Talk number ' || n",
      category: "(ARRAY['chat', 'music', 'games', 'education'])[1 + n % 4]",
      language: "'en'",
      seat_count: "8",
    },
    room_bans: {
      room_id: owned(text(ids.roomId), idOf(4, "n")),
      user_id: user("n"),
      banned_by: viewer,
      banned_until: "now() + interval '1 day'",
    },
    room_messages: {
      id: idOf(5, "n"),
      room_id: owned(text(ids.roomId), idOf(4, "n")),
      user_id: user("n"),
      body: "'Hello'",
    },
    gift_transactions: {
      id: idOf(6, "n"),
      gift_id: "(SELECT min(id::text)::uuid FROM gifts)",
      room_id: text(ids.roomId),
      sender_id: `CASE n % ${every} WHEN 0 THEN ${viewer} ELSE ${user("n")} END`,
      recipient_id: `CASE n % ${every} WHEN 0 THEN ${user("n")} WHEN 1 THEN ${viewer} ELSE ${other} END`,
      quantity: "1",
      unit_price: "10",
      total_coins: "10",
      recipient_coins: "5",
    },
    game_sessions: {
      id: idOf(7, "n"),
      lobby_id: idOf(8, "n"),
      type: "'tic_tac_toe'",
      status: "'finished'",
      seed: "''",
      state: "'{}'",
      finished_at: "now()",
    },
    game_players: { session_id: idOf(7, "n"), user_id: owned(viewer, other), score: "1", place: "1" },
    conversations: {
      id: idOf(9, "n"),
      low_user_id: `least(${owned(viewer, user("n"))}, ${other})`,
      high_user_id: `greatest(${owned(viewer, user("n"))}, ${other})`,
      started_by: viewer,
      message_count: "1",
      last_message_id: idOf(10, "n"),
    },
    conversation_members: {
      conversation_id: idOf(9, "n"),
      user_id: owned(viewer, user("n")),
      peer_id: other,
      active_at: "now() - n * interval '1 second'",
    },
    direct_messages: {
      id: idOf(10, "n"),
      conversation_id: `CASE n % ${every} WHEN 1 THEN ${text(ownConversation(sizes))} ELSE ${idOf(9, "n")} END`,
      sender_id: owned(viewer, user("n")),
      body: "'Hello'",
      created_at: "now()",
    },
    posts: { id: idOf(11, "n"), author_id: owned(viewer, other), content: "'Post ' || n" },
    post_comments: {
      id: idOf(12, "n"),
      post_id: owned(text(ids.postId), idOf(11, "n")),
      author_id: other,
      content: "'Encore!'",
    },
    notifications: {
      id: idOf(13, "n"),
      user_id: owned(viewer, other),
      type: "'follow'",
      group_key: "'seeded ' || n",
      actor_id: user("n"),
      read_at: "CASE n % 3 WHEN 0 THEN now() END",
    },
    ledger_movements: {
      id: idOf(14, "n"),
      reference_type: "'adjustment'",
      reference_id: idOf(14, "n"),
      description: "'Seeded'",
    },
    ledger_entries: {
      id: idOf(15, "n"),
      movement_id: idOf(14, "n"),
      type: "(ARRAY['admin_adjustment', 'gift_sent', 'gift_received'])[1 + n % 3]",
      user_id: owned(viewer, other),
      amount: "CASE n % 3 WHEN 1 THEN -10 ELSE 10 END",
      balance_after: "100",
      entry_no: "n",
    },
    webhook_deliveries: {
      id: idOf(16, "n"),
      endpoint_id: owned(text(ids.webhookId), idOf(17, "n")),
      type: "'order.updated'",
      body: "'{}'",
      status: "'delivered'",
      delivered_at: "now()",
    },
    leaderboard_scores: {
      scope: "'gift_senders'",
      week: "date_trunc('week', now())",
      subject_id: user("n"),
      score: "n",
      reached_at: "now()",
    },
  };
  return userListTables.map((table) => {
    const row = columns[table];
    return `INSERT INTO ${table} (${Object.keys(row).join(", ")})
      SELECT ${Object.values(row).join(", ")} FROM generate_series(1, ${rows}) AS n`;
  });
}
