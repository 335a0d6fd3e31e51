import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { KeyHolderPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import { directUrl } from "#shared/db/database-address.ts";
import { locks } from "#shared/db/locks.ts";
import { query, queryOn, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { loadRules } from "#shared/domain/base/filter/rules.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { followUser } from "#shared/domain/identity/relations/follow-user.ts";
import { requestFriend } from "#shared/domain/identity/relations/request-friend.ts";
import { appealSanction } from "#shared/domain/identity/sanctions/appeals.ts";
import { SanctionModel } from "#shared/domain/identity/sanctions/sanction.model.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { createRoom } from "#shared/domain/live/rooms/create-room.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { sandboxActions } from "#shared/domain/money/payments/providers/sandbox-payments.ts";
import { reconcileOrder } from "#shared/domain/money/payments/reconcile-order.ts";
import { fileReport } from "#shared/domain/operations/reports/file-report.ts";
import { openTicket } from "#shared/domain/operations/tickets/open-ticket.ts";
import { openConversation } from "#shared/domain/social/conversations/open-conversation.ts";
import { sendMessage } from "#shared/domain/social/conversations/send-message.ts";
import { addComment } from "#shared/domain/social/posts/add-comment.ts";
import { createPost } from "#shared/domain/social/posts/create-post.ts";
import { toggleLike } from "#shared/domain/social/posts/toggle-like.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { demoPassword, demoPeople } from "../demo-data.ts";
import { demoPicture } from "../demo-pictures.ts";
import { demoKeys } from "../seed-catalogue.ts";
import {
  appealOfSpammer,
  cast,
  comments,
  demoDomain,
  directMessages,
  heldPosts,
  sanctionReason,
  spammer,
  tickets,
} from "./cast.ts";
import { Story, storyDays } from "./story.ts";

const lockEachMs = 300;
const daySeconds = 24 * 60 * 60;
/** People who are there on the first day. Each day, one joins them. */
const founders = 5;

/** A fraction of 1 that looks random and is the same at each telling. */
const chance = (...numbers: readonly number[]): number =>
  numbers.reduce((hash, number) => {
    const mixed = Math.imul(hash ^ (number + 1), 2_654_435_761);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }, 97) /
  2 ** 32;

/** A second of an evening of the story. `index` tells the acts of a kind on a day apart. */
const evening = (day: number, kind: number, index: number): number =>
  day * daySeconds + 12 * 3600 + kind * 5000 + index * 300 + Math.floor(chance(day, kind, index) * 290);

/** Acts that a user could do. The session was never opened. */
const callerFor = (userId: string): UserPrincipal => ({ kind: "user", userId, sessionId: newId(), expiresAtMs: 0 });

/** Ignores what the rules refuse, such as a gift that costs more than its sender has. */
async function ifAllowed(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
  });
}

/**
 * Tells the story of the demo world by the commands that the APIs call: two dozen people who join, buy, give, post,
 * write, follow, report, and order. Continues where an earlier telling was killed. Returns false if there are other
 * people than those of the demo, or some were removed: then nothing changes.
 * @throws AbortError between two acts, if `signal` is aborted
 */
export async function makeWorld(signal?: AbortSignal): Promise<boolean> {
  const client = new pg.Client({ connectionString: directUrl(), application_name: "hubbub demo world" });
  client.on("error", (error) => logger.warn({ err: error }, "the demo world lost its connection"));
  await client.connect();
  try {
    const isMine = async () =>
      (await queryOn<{ mine: boolean }>(client, "SELECT pg_try_advisory_lock($1) AS mine", [locks.demoWorld]))[0]!.mine;
    // That of a killed service may still be at it. A statement that waited for the lock would time out.
    while (!(await isMine())) await pause(lockEachMs);
    return await tellStory(signal);
  } finally {
    await client.end();
  }
}

async function tellStory(signal: AbortSignal | undefined): Promise<boolean> {
  const story = await Story.open(signal);
  if (!story) return false;
  const people = await join(story);
  for (let day = 0; day < storyDays; day += 1) {
    const present = people.slice(0, founders + day);
    await buyCoins(story, day, present);
    await sendGifts(story, day, present);
  }
  await relate(people);
  await write(story, people);
  await askForHelp(story, people);
  await orderFromCatalogue();
  await story.date();
  return true;
}

/** Registers the cast, and opens their rooms. Returns them, with the two demo people at the end. */
async function join(story: Story): Promise<UserPrincipal[]> {
  const passwordHash = await hashPassword(demoPassword);
  for (const [index, { username, full_name, bio, room }] of cast.entries()) {
    const day = Math.max(0, index - founders);
    await story.act("users", evening(day, 0, index), async () => {
      const account = { username, full_name, email: `${username}@${demoDomain}`, mobile: null, date_of_birth: null };
      await inTransaction((tx) => createAccount(tx, { ...account, passwordHash }));
    });
    const caller = callerFor(await idOf(username));
    await updateMe(caller, { bio });
    if (room)
      await story.act("rooms", evening(day, 0, index) + 60, () =>
        createRoom(caller, { ...room, language: "en", is_private: false, seat_count: 9 }),
      );
  }
  const ids = await Promise.all([...cast, ...demoPeople].map(({ username }) => idOf(username)));
  return ids.map(callerFor);
}

const idOf = async (username: string): Promise<string> =>
  (await queryOne<{ id: string }>("SELECT id FROM users WHERE username = $1", [username]))!.id;

async function buyCoins(story: Story, day: number, people: readonly UserPrincipal[]): Promise<void> {
  const packages = await query<{ id: string }>("SELECT id FROM coin_packages WHERE retired_at IS NULL ORDER BY price");
  for (let index = 0; index < 1 + Math.floor(chance(day, 1) * 3); index += 1) {
    const buyer = people[Math.floor(chance(day, 2, index) * people.length)]!;
    const bought = packages[Math.floor(chance(day, 3, index) * packages.length)];
    if (bought)
      await story.moveCoins("payment_orders", evening(day, 1, index), async () => {
        const { order } = await orderCoins(buyer, bought.id);
        await sandboxActions.pay!(order.provider_order_id!);
        await reconcileOrder(order.id);
      });
  }
}

async function sendGifts(story: Story, day: number, people: readonly UserPrincipal[]): Promise<void> {
  const gifts = await query<{ id: string }>(
    "SELECT id FROM gifts WHERE retired_at IS NULL AND price <= 500 ORDER BY price",
  );
  const rooms = await query<{ id: string }>("SELECT id FROM rooms WHERE status = 'open' ORDER BY id");
  for (let index = 0; index < 3 + Math.floor(chance(day, 4) * 6); index += 1) {
    const [sender, recipient] = [5, 6].map((salt) => people[Math.floor(chance(day, salt, index) * people.length)]!);
    const gift = gifts[Math.floor(chance(day, 7, index) ** 2 * gifts.length)];
    const room = rooms[Math.floor(chance(day, 8, index) * rooms.length)];
    if (!gift || !room || sender === recipient) continue;
    const order = { gift_id: gift.id, room_id: room.id, recipient_id: recipient!.userId, quantity: 1 + (index % 3) };
    await story.moveCoins("gift_transactions", evening(day, 2, index), () => ifAllowed(transferGift(sender!, order)));
  }
}

/** Everyone follows some, and each asks one for their friendship. Every second request is accepted. */
async function relate(people: readonly UserPrincipal[]): Promise<void> {
  for (const [index, caller] of people.entries()) {
    for (const [other, { userId }] of people.entries())
      if (other !== index && chance(index, other, 9) < 0.3) await followUser(caller, userId);
    const friend = people[(index * 7 + 3) % people.length]!;
    if (friend === caller) continue;
    await ifAllowed(requestFriend(caller, friend.userId));
    if (index % 2 === 0) await ifAllowed(requestFriend(friend, caller.userId));
  }
  for (const demoPerson of people.slice(-2))
    for (const caller of people.slice(0, 3)) await ifAllowed(requestFriend(caller, demoPerson.userId));
}

async function write(story: Story, people: readonly UserPrincipal[]): Promise<void> {
  for (const [index, { post, picture }] of cast.entries()) {
    if (!post) continue;
    const second = evening(storyDays - cast.length + index - 1, 0, index) + 600;
    const media = picture ? [{ url: demoPicture("posts", picture), type: "image" as const }] : [];
    await story.act("posts", second, () => createPost(people[index]!, { content: post, media }));
  }
  const posts = await query<{ id: string }>(
    "SELECT id FROM posts WHERE visibility = 'public' AND status = 'visible' ORDER BY id",
  );
  for (const [index, { id }] of posts.entries())
    for (const [reader, caller] of people.entries()) {
      if (chance(index, reader, 10) < 0.35 && !(await likes(id, caller))) await toggleLike(caller, id);
      if (chance(index, reader, 11) < 0.08)
        await story.act("post_comments", evening(storyDays - 2, 0, index) + reader * 7, () =>
          addComment(caller, id, comments[(index + reader) % comments.length]!),
        );
    }
  for (let index = 0; index < 6; index += 1)
    await talk(story, people[index * 2]!, people.at(index % 2 ? -1 : -2)!, index);
}

const likes = (postId: string, { userId }: UserPrincipal) =>
  queryOne("SELECT FROM post_likes WHERE post_id = $1 AND user_id = $2", [postId, userId]);

async function talk(story: Story, one: UserPrincipal, other: UserPrincipal, index: number): Promise<void> {
  const { conversation } = await openConversation(one, other.userId);
  for (const [line, body] of directMessages.slice(0, 1 + (index % directMessages.length)).entries())
    await story.act("direct_messages", evening(storyDays - 3, 0, index) + line * 31, () =>
      ifAllowed(sendMessage(line % 2 === 0 ? one : other, conversation.id, { body })),
    );
}

/** Reports of the one who promises free coins, their held posts and appeal, and tickets: what the console shows. */
async function askForHelp(story: Story, people: readonly UserPrincipal[]): Promise<void> {
  const spamming = await idOf(spammer);
  const spam = await queryOne<{ id: string }>("SELECT id FROM posts WHERE author_id = $1 LIMIT 1", [spamming]);
  for (const [index, caller] of people.slice(0, 4).entries()) {
    const target =
      index % 2 === 0 || !spam
        ? { target_type: "user" as const, target_id: spamming, details: "Asks everyone for passwords." }
        : { target_type: "post" as const, target_id: spam.id, details: "There are no free coins." };
    await story.act("reports", evening(storyDays - 1, 0, index), () =>
      ifAllowed(fileReport(caller, { ...target, reason: "spam" })),
    );
  }
  const author = callerFor(spamming);
  await loadRules();
  for (const [index, content] of heldPosts.entries())
    await story.act("held_content", evening(storyDays - 1, 1, index), () => createPost(author, { content }));
  await story.act("sanctions", evening(storyDays - 1, 2, 0), async () => {
    const sanction = { id: newId(), user_id: spamming, until: null, reason: sanctionReason, created_by: null };
    await inTransaction((tx) => SanctionModel.insert(tx, { ...sanction, kinds: ["post"] }));
    await appealSanction(author, sanction.id, appealOfSpammer);
  });
  for (const [index, ticket] of tickets.entries()) {
    const email = `${cast[index]!.username}@${demoDomain}`;
    await story.act("support_tickets", evening(storyDays - 2, 2, index), () =>
      openTicket(people[index]!, { ...ticket, email }),
    );
  }
}

/** Orders top-ups with the demo keys, each once: the key of a call is its number. */
async function orderFromCatalogue(): Promise<void> {
  const key = await queryOne<{ keyId: string; userId: string }>(
    `SELECT id AS "keyId", user_id AS "userId" FROM api_keys WHERE public_key = $1
     AND NOT EXISTS (SELECT FROM catalogue_orders)`,
    [demoKeys.publicKey],
  );
  if (!key) return;
  const caller: KeyHolderPrincipal = { kind: "key_holder", ...key };
  const services = await query<{ topUpId: number; serviceId: number }>(
    `SELECT DISTINCT ON (top_up_id) top_up_id AS "topUpId", id AS "serviceId" FROM catalogue_services
     ORDER BY top_up_id, id LIMIT 8`,
  );
  for (const [index, ordered] of services.entries())
    await ifAllowed(placeOrder(caller, { ...ordered, Player_Id: String(10_000_000 + index * 7919), Server: "asia" }));
}
