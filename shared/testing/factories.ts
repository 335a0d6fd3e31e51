import "./access/access-tokens.ts";
import { service } from "#shared/contracts/principal.ts";
import type { Gift, Post } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { createAccount, type NewAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { openSession } from "#shared/domain/identity/sessions/open-session.ts";
import { createRoom, type RoomInput } from "#shared/domain/live/rooms/create-room.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { createPost, type PostInput } from "#shared/domain/social/posts/create-post.ts";
import { newId } from "#shared/kernel/ids.ts";
import { callerOf } from "./people.ts";

/** The password of all built users, hashed once per process. */
const password = "correct horse battery";
let passwordHash: Promise<string> | undefined;

export interface BuiltUser {
  id: string;
  username: string;
  email: string;
  password: string;
  sessionId: string;
  /** An access token of the session. */
  token: string;
  refreshToken: string;
}

/** Creates a registered user with a session. `coins` is the balance of the wallet, 0 by default. */
export async function buildUser(
  overrides: Partial<Omit<NewAccount, "passwordHash" | "email">> & { email?: string; coins?: number } = {},
): Promise<BuiltUser> {
  const { coins = 0, ...fields } = overrides;
  const name = `u${newId().replaceAll("-", "").slice(-20)}`;
  passwordHash ??= hashPassword(password);
  const account = {
    full_name: "Ada Lovelace",
    username: name,
    email: `${name}@example.com`,
    mobile: null,
    date_of_birth: null,
    passwordHash: await passwordHash,
    ...fields,
  };
  return inTransaction(async (tx) => {
    const id = await createAccount(tx, account);
    if (coins > 0)
      await grantCoins(tx, {
        by: service,
        kind: "adjustment",
        userId: id,
        coins,
        reason: "Coins to begin a test with",
      });
    const session = await openSession(tx, id, { ip: "127.0.0.1", userAgent: "tests" });
    return {
      id,
      username: account.username,
      email: account.email,
      password,
      sessionId: session.sessionId,
      token: session.accessToken,
      refreshToken: session.refreshToken,
    };
  });
}

/** Creates a gift, in a new category by default. `price` in coins. */
export async function buildGift(
  overrides: { name?: string; price?: number; category_id?: string } = {},
): Promise<Gift> {
  const id = newId();
  const { name = "Rose", price = 10, category_id = await buildGiftCategory() } = overrides;
  await query(
    "INSERT INTO gifts (id, category_id, name, image_url, price) VALUES ($1, $2, $3, 'https://cdn.example.com/g.png', $4)",
    [id, category_id, name, price],
  );
  return { id, name, image_url: "https://cdn.example.com/g.png", animation_url: null, price, category_id };
}

/** Returns the category's ID. */
export async function buildGiftCategory(name?: string): Promise<string> {
  const id = newId();
  await query("INSERT INTO gift_categories (id, name) VALUES ($1, $2)", [id, name ?? `Category ${id}`]);
  return id;
}

/** Returns the pack's ID. */
export async function buildStickerPack(): Promise<string> {
  const id = newId();
  await query("INSERT INTO sticker_packs (id, name, image_url) VALUES ($1, $2, 'https://cdn.example.com/owl.webp')", [
    id,
    `Pack ${id}`,
  ]);
  return id;
}

/** Returns the sticker's ID. */
export async function buildSticker(): Promise<string> {
  const id = newId();
  await query(
    "INSERT INTO stickers (id, pack_id, name, image_url) VALUES ($1, $2, 'Waving owl', 'https://cdn.example.com/w.webp')",
    [id, await buildStickerPack()],
  );
  return id;
}

export interface BuiltRoom {
  id: string;
  host: BuiltUser;
}

/** Creates an open room, hosted by a new user by default. */
export async function buildRoom(overrides: Partial<RoomInput> & { host?: BuiltUser } = {}): Promise<BuiltRoom> {
  const { host = await buildUser(), ...input } = overrides;
  const { id } = await createRoom(callerOf(host), {
    name: "Night owls",
    category: setting("room_categories")[0]!,
    language: setting("languages")[0]!,
    description: "",
    is_private: false,
    seat_count: 8,
    ...input,
  });
  return { id, host };
}

/** Creates a post, by a new user by default. */
export async function buildPost(overrides: PostInput & { author?: BuiltUser } = {}): Promise<Post> {
  const { author = await buildUser(), ...input } = overrides;
  return createPost(callerOf(author), { content: "What a night!", ...input });
}
