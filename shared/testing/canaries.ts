import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { assert } from "#shared/kernel/assert.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal } from "#shared/kernel/seal.ts";
import { buildRemoval, buildSanction } from "#shared/testing/admins.ts";
import { buildMarkedCustomer } from "./catalogue.ts";
import { connectSocket } from "./clients/clients.ts";
import { type BuiltUser, buildGift, buildPost, buildRoom, buildUser } from "./factories.ts";
import { messagesTo } from "./mailbox.ts";
import { upload } from "./media.ts";
import { buildPackage } from "./sales.ts";
import type { useService } from "./service.ts";

type Service = ReturnType<typeof useService>;

/** A user who has written their marker to every field that users can write to. */
export interface Marked {
  /** Lower case, so that it survives normalization. */
  readonly mark: string;
  readonly mobile: string;
  readonly id: string;
  readonly token: string;
  readonly password: string;
  readonly email: string;
  /** A user with all kinds of relations to the marked user. */
  readonly friend: BuiltUser;
  /** A room of the marked user, with the friend as a member. */
  readonly roomId: string;
  readonly friendsRoomId: string;
  readonly friendsPostId: string;
  readonly conversationId: string;
  readonly mediaId: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields of responses.
type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<any>;

/** Calls the API as the user. All calls must succeed. */
function callAs(service: Service, token: string): Call {
  return async (method, path, body, headers = {}) => {
    const answer = await service.call(method, path, { token, headers, ...(body && { body }) });
    assert(answer.status < 300, `${method} ${path} answered ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
}

let marks = 0;

/** Registers a user and writes their marker everywhere, through the commands that users call. */
export async function buildMarked(service: Service): Promise<Marked> {
  marks += 1;
  const mark = `zq${newId().replaceAll("-", "").slice(-10)}${marks}`;
  const mobile = `+9197${String(process.pid % 100_000).padStart(5, "0")}${String(marks).padStart(3, "0")}`;
  const [email, password] = [`${mark}@example.com`, `${mark} correct horse`];
  const form = { full_name: `${mark} Lovelace`, username: mark, email, mobile, date_of_birth: "1987-03-11" };
  const anyone = callAs(service, "");
  const { user } = await anyone("post", "/auth/register", {
    ...form,
    password,
    confirm_password: password,
    terms_accepted: true,
  });
  await messagesTo(email);
  await messagesTo(mobile);
  const login = { identifier: mark, password };
  const { accessToken } = await anyone("post", "/auth/login", login, { "user-agent": `${mark}/1.0` });
  await anyone("post", "/auth/forgot-password", { email });
  await anyone("post", "/support/tickets", { subject: mark, message: mark, email });
  const friend = await buildUser({ coins: 1000 });
  const me: BuiltUser = { ...friend, id: user.id, token: accessToken };
  const [call, friends] = [callAs(service, accessToken), callAs(service, friend.token)];
  await describeOneself(call, user.id, mark);
  const rooms = await meetInRooms({ service, call, friends, me, friend, mark });
  const { conversationId, friendsPostId } = await writeToEachOther({ call, friends, me, friend, mark });
  return {
    mark,
    mobile,
    id: user.id,
    token: accessToken,
    password,
    email,
    friend,
    ...rooms,
    conversationId,
    friendsPostId,
    mediaId: await uploadMark(service, accessToken, mark),
  };
}

/** Returns a file of the user in the store, which has the marker as its name and content. */
async function uploadMark(service: Service, token: string, mark: string): Promise<string> {
  const { id, state } = await upload(service.call, token, Buffer.from(mark), {
    purpose: "conversation",
    content_type: "text/plain",
    announce: { name: mark },
  });
  assert(state === "ready", "the file is taken");
  return id;
}

async function describeOneself(call: Call, userId: string, mark: string): Promise<void> {
  const address = `https://cdn.example.com/${mark}.png`;
  await call("patch", "/users/me", { bio: mark, country: "IN", avatar_url: address, cover_url: address });
  await call("post", "/users/me/api-keys", { name: mark });
  await call("post", "/users/me/webhooks", { url: `https://example.com/${mark}` });
  await query("INSERT INTO identities (provider, subject, user_id, email, secret) VALUES ('line', $1, $2, $3, $4)", [
    mark,
    userId,
    `${mark}@line.example`,
    seal(`identity ${userId}`, mark),
  ]);
  await query(
    `INSERT INTO kyc_cases (id, user_id, provider, reference, status, reason, decided_at)
     VALUES (uuidv7(), $1, 'manual', $2, 'rejected', $2, now())`,
    [userId, mark],
  );
  await query(
    `INSERT INTO payouts (id, user_id, method_id, kind, provider, status, amount, currency, rate, fee, net, shown)
     SELECT uuidv7(), $1, id, kind, provider, 'declined', 1, currency, rate, 0, 1, $2 FROM payout_methods LIMIT 1`,
    [userId, mark],
  );
  await query(
    `INSERT INTO held_content (id, place, user_id, text, input, client_id, rule_name, harm, status)
     VALUES (uuidv7(), 'post', $1, $2, jsonb_build_object('content', $2::text), $2, 'Rule', 2, 'held')`,
    [userId, mark],
  );
  await buildMarkedCustomer(userId, mark);
  await call("post", "/users/me/device", { platform: "android", device_uid: mark, push_token: mark });
  await call("post", "/support/tickets", { subject: mark, message: mark, email: `${mark}@example.org` });
  const { id: package_id } = await buildPackage();
  await call("post", "/payments/orders", { package_id }, { "idempotency-key": `${mark}-order` });
}

interface Two {
  readonly call: Call;
  readonly friends: Call;
  readonly me: BuiltUser;
  readonly friend: BuiltUser;
  readonly mark: string;
}

/** Creates a room for each, chat, a ban, and gifts in both directions. */
async function meetInRooms({ service, call, friends, me, friend, mark }: Two & { service: Service }) {
  const room = { name: mark, category: "music", language: "en", description: mark, password: `${mark} pw` };
  const { id: roomId } = await call("post", "/rooms", room);
  await query("UPDATE rooms SET cover_url = $2 WHERE id = $1", [roomId, `https://cdn.example.com/${mark}.png`]);
  await call("patch", `/rooms/${roomId}`, { announcement: mark, welcome: mark });
  await call("put", `/rooms/${roomId}/rules`, { words: [mark], allow: [], action: "block", minutes: 5, text: mark });
  const friendsRoomId = (await buildRoom({ host: friend })).id;
  const sockets = [await connectSocket(service.url, me.token), await connectSocket(service.url, friend.token)] as const;
  const closedBefore = await call("post", "/rooms", room);
  await call("delete", `/rooms/${closedBefore.id}`);
  for (const room_id of [friendsRoomId, roomId]) {
    const password = `${mark} pw`;
    for (const { ask } of sockets) expect((await ask("room:join", { room_id, password })).success).to.equal(true);
    const said = await sockets[0].ask("room:message", { room_id, body: mark, client_id: mark });
    expect(said.success).to.equal(true);
    const place = { room_id, message_id: said.data.id };
    for (const [event, more] of [
      ["message:edit", { body: `${mark} again` }],
      ["message:react", { emoji: "🔥" }],
    ] as const)
      expect((await sockets[0].ask(event, { ...place, ...more })).success).to.equal(true);
  }
  const banned = await buildUser();
  await callAs(service, banned.token)("post", `/rooms/${roomId}/join`, { password: `${mark} pw` });
  await call("post", `/rooms/${roomId}/kick`, { user_id: banned.id, ban_minutes: 60, reason: mark });
  const { id: gift_id } = await buildGift({ price: 2 });
  const gift = (recipient: BuiltUser) => ({ gift_id, recipient_id: recipient.id, quantity: 2 });
  await call("post", `/rooms/${roomId}/gifts`, gift(friend), { "idempotency-key": mark });
  await friends("post", `/rooms/${roomId}/gifts`, gift(me), { "idempotency-key": newId() });
  sockets[0].close();
  return { roomId: roomId as string, friendsRoomId };
}

/** Creates follows, a friendship, a block, messages, posts, comments, likes, and mutual reports. */
async function writeToEachOther({ call, friends, me, friend, mark }: Two) {
  await call("post", `/users/${friend.id}/follow`);
  await friends("post", `/users/${me.id}/follow`);
  await call("post", `/friends/${friend.id}/request`);
  await friends("post", `/friends/${me.id}/request`);
  await call("post", `/users/${(await buildUser()).id}/block`);
  const address = `https://cdn.example.com/${mark}.png`;
  const { id: conversationId } = await call("post", "/conversations", { peer_id: friend.id });
  const message = { body: mark, attachment_url: address, client_id: mark };
  const { id: messageId } = await call("post", `/conversations/${conversationId}/messages`, message);
  await query(
    `INSERT INTO outbox_dead_letters (id, topic, payload, slot, target, attempts, error, created_at)
     SELECT nextval(pg_get_serial_sequence('outbox_deliveries', 'id')), 'dm.new',
       jsonb_build_object('message', to_jsonb(m)), 2, 'user:' || $2, 10, 'Error', now() FROM direct_messages m WHERE m.id = $1`,
    [messageId, friend.id],
  );
  await friends("post", `/conversations/${conversationId}/messages`, { body: "I see." });
  const group = await call("post", "/conversations", { kind: "group", name: mark, user_ids: [] });
  await call("post", `/conversations/${group.id}/invites`);
  await call("post", `/users/me/sanctions/${await buildSanction(me)}/appeal`, { text: mark });
  await call("post", `/users/me/removals/${await buildRemoval(me, mark)}/appeal`, { text: mark });
  const post = await call("post", "/posts", { content: mark, media: [{ url: address, type: "image" }] });
  const { id: friendsPostId } = await buildPost({ author: friend });
  const { id: commentId } = await call("post", `/posts/${friendsPostId}/comments`, { content: mark });
  await call("post", `/posts/${friendsPostId}/like`);
  await friends("post", `/posts/${post.id}/like`);
  await friends("post", `/posts/${post.id}/comments`, { content: "Encore!" });
  await call("post", `/users/${friend.id}/report`, { reason: mark, details: mark });
  await friends("post", `/users/${me.id}/report`, { reason: "Noise" });
  for (const [target_type, target_id] of [
    ["post", post.id],
    ["comment", commentId],
    ["message", messageId],
  ])
    await friends("post", "/reports", { target_type, target_id, reason: "Noise" });
  return { conversationId: conversationId as string, friendsPostId };
}

/** SQL: whether the table of information_schema is a partition, whose rows its table has. */
const isPartition =
  "(SELECT relispartition FROM pg_class WHERE oid = format('%I.%I', table_schema, t.table_name)::regclass)";

/** Returns all tables of the service and of pg-boss as `schema.table`, without tables of the tests. */
async function allTables(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables t
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema', 'testing')
       AND NOT ${isPartition} ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the tables that contain one of these texts in any column. */
export async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const table of await allTables()) {
    const rows = await query(`SELECT 1 FROM ${table} AS row WHERE row::text ILIKE ANY ($1::text[]) LIMIT 1`, [
      texts.map((text) => `%${text}%`),
    ]);
    if (rows.length > 0) found.push(table);
  }
  return found;
}

/** Returns all text columns of the service as `table.column`, and whether each contains this text. */
export async function textColumns(text: string): Promise<{ name: string; marked: boolean }[]> {
  const columns = await query<{ table: string; column: string }>(
    `SELECT t.table_name AS table, c.column_name AS column FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE table_schema = 'public' AND t.table_type = 'BASE TABLE' AND NOT ${isPartition}
       AND c.data_type IN ('text', 'character varying', 'character', 'json', 'jsonb', 'ARRAY', 'USER-DEFINED')
     ORDER BY 1, 2`,
  );
  const seen: { name: string; marked: boolean }[] = [];
  for (const { table, column } of columns) {
    const rows = await query(`SELECT 1 FROM "${table}" WHERE "${column}"::text ILIKE $1 LIMIT 1`, [`%${text}%`]);
    seen.push({ name: `${table}.${column}`, marked: rows.length > 0 });
  }
  return seen;
}
