import type { Relation, UserSettings } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { type Blocks, tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { hasBlockedViewer, isActive, relationColumns } from "#shared/domain/identity/users/relation-columns.ts";
import { completeSettings } from "#shared/domain/identity/users/user-settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** A user, and how the caller is related to them. */
export interface OtherUser {
  readonly relation: Relation;
  /** Whether users may see this one, apart from blocks: not if they are suspended. */
  readonly active: boolean;
  readonly blocks: Blocks;
  readonly privacy: UserSettings["privacy"];
}

interface OtherUserRow extends Relation {
  active: boolean;
  blocked: boolean;
  settings: Partial<UserSettings>;
  is_guest: boolean;
}

/**
 * Step: loads a user and locks all relations of the caller and of that user until the end of the transaction. Every
 * command on relations starts with it, so that commands that cross are serialised and counters match their rows.
 * @throws NOT_FOUND when the account does not exist
 */
export async function lockRelation(tx: Tx, callerId: string, userId: string): Promise<OtherUser> {
  // In the order of the ids: users who follow each other in a ring would deadlock otherwise.
  await tx.query("SELECT 1 FROM users WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE", [callerId, userId]);
  const [row] = await tx.query<OtherUserRow>(
    `SELECT u.id AS user_id, ${relationColumns}, ${isActive} AS active, ${hasBlockedViewer} AS blocked, u.settings,
       u.is_guest
     FROM users u WHERE u.id = $1 AND u.status <> 'deleted'`,
    [userId, callerId],
  );

  if (!row) throw new DomainError("NOT_FOUND");
  const { active, blocked, settings, is_guest, ...relation } = row;
  const blocks = { blocked, blocker: relation.is_blocked };
  const { privacy } = completeSettings(settings);
  // Guests can't answer a request.
  return { relation, active, blocks, privacy: is_guest ? { ...privacy, allow_friend_requests: "nobody" } : privacy };
}

/**
 * Step: loads a user whom the caller may interact with, and locks as `lockRelation` does.
 * @throws NOT_FOUND for a user who isn't active, and what the rule tells about blocks
 */
export async function accessUser(tx: Tx, callerId: string, userId: string): Promise<OtherUser> {
  const person = await lockRelation(tx, callerId, userId);
  if (!person.active) throw new DomainError("NOT_FOUND");
  tellBlocks("person", person.blocks);
  return person;
}
