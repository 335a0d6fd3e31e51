import { limits } from "#shared/contracts/fields.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { service } from "#shared/contracts/principal.ts";
import { locks } from "#shared/db/locks.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { RuleModel } from "#shared/domain/base/filter/rule.model.ts";
import { StickerModel, StickerPackModel } from "#shared/domain/base/stickers/sticker.model.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { followUser } from "#shared/domain/identity/relations/follow-user.ts";
import { requestFriend } from "#shared/domain/identity/relations/request-friend.ts";
import { createRoom } from "#shared/domain/live/rooms/create-room.ts";
import { GiftModel } from "#shared/domain/money/gifts/gift.model.ts";
import { GiftCategoryModel } from "#shared/domain/money/gifts/gift-category.model.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { CoinPackageModel } from "#shared/domain/money/payments/coin-package.model.ts";
import { openConversation } from "#shared/domain/social/conversations/open-conversation.ts";
import { sendMessage } from "#shared/domain/social/conversations/send-message.ts";
import { createPost } from "#shared/domain/social/posts/create-post.ts";
import { newId } from "#shared/kernel/ids.ts";
import {
  type DemoPerson,
  demoGifts,
  demoMessages,
  demoPackages,
  demoPassword,
  demoPeople,
  demoRules,
  demoStickers,
} from "./demo-data.ts";
import { type DemoLogin, listDemoLogins } from "./demo-logins.ts";
import { demoPicture } from "./demo-pictures.ts";
import { seedCampaigns } from "./seed-campaigns.ts";
import { seedCatalogue, seedCodes, seedKeys } from "./seed-catalogue.ts";
import { seedStore } from "./seed-store.ts";

/** A demo person whose account is new, and the principal by which the seeding acts for them. */
interface Newcomer {
  readonly caller: UserPrincipal;
  readonly person: DemoPerson;
}

/** The session was never opened: the user has not logged in. */
const callerFor = (userId: string): UserPrincipal => ({ kind: "user", userId, sessionId: newId(), expiresAtMs: 0 });

const roomDefaults = { is_private: false, seat_count: limits.seatsDefault };

/**
 * Fills a new database with demo data: gifts, stickers, coin packages, frames, VIP plans, campaigns, and two people
 * with coins, a room and posts each, who are friends and have written to each other. Existing data stays unchanged:
 * each kind of thing is seeded only if there is none, a person only if the name is free. For development only; the
 * caller decides. Returns the logins of the demo people.
 */
export async function seedDemo(): Promise<DemoLogin[]> {
  // Outside the transaction, because a hash takes time; and only if a person is missing.
  const missing = await queryOne<{ missing: boolean }>(
    "SELECT count(*) < $2 AS missing FROM users WHERE username = ANY ($1::text[])",
    [demoPeople.map(({ username }) => username), demoPeople.length],
  );
  const passwordHash = missing?.missing ? await hashPassword(demoPassword) : undefined;

  const newcomers: Newcomer[] = [];
  const logins = await inTransaction(async (tx) => {
    // Processes that start together seed once.
    await tx.query("SELECT pg_advisory_xact_lock($1)", [locks.demoData]);
    if (!(await isThere(tx, "SELECT 1 FROM gift_categories LIMIT 1"))) await seedGifts(tx);
    if (!(await isThere(tx, "SELECT 1 FROM sticker_packs LIMIT 1"))) await seedStickers(tx);
    if (!(await isThere(tx, "SELECT 1 FROM coin_packages LIMIT 1"))) await seedPackages(tx);
    if (!(await isThere(tx, "SELECT 1 FROM rules LIMIT 1"))) await seedRules(tx);
    await seedStore(tx);
    await seedCampaigns(tx);
    await seedCatalogue(tx);
    newcomers.length = 0;
    for (const person of demoPeople) {
      const userId = passwordHash && (await seedPerson(tx, person, passwordHash));
      if (userId) newcomers.push({ caller: callerFor(userId), person });
    }
    const known = await listDemoLogins(tx);
    const [first] = known;
    if (first) await seedKeys(tx, first.username);
    return known;
  });

  for (const { caller, person } of newcomers) {
    await createRoom(caller, { ...person.room, ...roomDefaults });
    for (const { picture, ...post } of person.posts) await createPost(caller, { ...post, ...withPicture(picture) });
  }
  await seedCodes();
  await seedFriendship(newcomers);
  await seedMessages(newcomers);
  return logins;
}

const withPicture = (picture: string | undefined) =>
  picture === undefined ? {} : { media: [{ url: demoPicture("posts", picture), type: "image" as const }] };

/** Makes the two friends and followers of each other, if both are new. */
async function seedFriendship(newcomers: readonly Newcomer[]): Promise<void> {
  const [first, second] = newcomers.map(({ caller }) => caller);
  if (!first || !second) return;
  await followUser(first, second.userId);
  await followUser(second, first.userId);
  await requestFriend(first, second.userId);
  await requestFriend(second, first.userId);
}

/** Sends the demo messages, if both people are new. */
async function seedMessages(newcomers: readonly Newcomer[]): Promise<void> {
  const [first, second] = newcomers.map(({ caller }) => caller);
  if (!first || !second) return;
  const { conversation } = await openConversation(first, second.userId);
  for (const { from, body } of demoMessages) {
    const caller = newcomers[0]?.person.username === from ? first : second;
    await sendMessage(caller, conversation.id, { body });
  }
}

async function isThere(tx: Tx, probe: string, values: readonly unknown[] = []): Promise<boolean> {
  return (await tx.query(probe, values)).length > 0;
}

async function seedGifts(tx: Tx): Promise<void> {
  for (const [position, { category, gifts }] of demoGifts.entries()) {
    const categoryId = newId();
    await GiftCategoryModel.insert(tx, { id: categoryId, name: category, position });
    for (const [giftPosition, { name, price, animated }] of gifts.entries()) {
      const animation_url = animated ? demoPicture("gifts", "sparkle", "json") : null;
      const shown = { name, image_url: demoPicture("gifts", name), animation_url, price };
      await GiftModel.insert(tx, { id: newId(), category_id: categoryId, ...shown, position: giftPosition });
    }
  }
}

async function seedStickers(tx: Tx): Promise<void> {
  for (const [position, { pack, stickers }] of demoStickers.entries()) {
    const packId = newId();
    const cover = demoPicture("stickers", stickers[0]!);
    await StickerPackModel.insert(tx, { id: packId, name: pack, image_url: cover, position });
    for (const [place, name] of stickers.entries()) {
      const sticker = { pack_id: packId, name, image_url: demoPicture("stickers", name), position: place };
      await StickerModel.insert(tx, { id: newId(), ...sticker });
    }
  }
}

async function seedRules(tx: Tx): Promise<void> {
  const scope = { kind: "service" } as const;
  for (const { name, words, action } of demoRules) {
    const trigger = { kind: "words" as const, words: [...words], allow: [] };
    await RuleModel.insert(tx, { id: newId(), name, scope, trigger, action });
  }
  await tx.signal("rules.changed", {});
}

async function seedPackages(tx: Tx): Promise<void> {
  for (const [position, coinPackage] of demoPackages.entries())
    await CoinPackageModel.insert(tx, { id: newId(), ...coinPackage, position });
}

/** Returns the new user's id; undefined when the name or the email address is taken. */
async function seedPerson(tx: Tx, person: DemoPerson, passwordHash: string): Promise<string | undefined> {
  const { username, full_name, email, coins } = person;
  if (await isThere(tx, "SELECT 1 FROM users WHERE username = $1 OR email = $2", [username, email])) return undefined;
  const userId = await createAccount(tx, {
    username,
    full_name,
    email,
    mobile: null,
    date_of_birth: null,
    passwordHash,
  });
  await grantCoins(tx, { by: service, kind: "demo", userId, coins, reason: "Coins to try gifts with" });
  return userId;
}
