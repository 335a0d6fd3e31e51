import type { Relation, UserSettings } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { isKnowable, relationColumns } from "#shared/domain/users/relation-columns.ts";
import { completeSettings } from "#shared/domain/users/user-settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Somebody as the caller stands to him. */
export interface Person {
  readonly relation: Relation;
  /** May the caller know of him? Not of the suspended, and not of whoever has blocked him. */
  readonly knowable: boolean;
  readonly privacy: UserSettings["privacy"];
}

interface PersonRow extends Relation {
  knowable: boolean;
  settings: Partial<UserSettings>;
}

/**
 * Step: loads somebody, and from here to the end of the transaction nobody else changes what there is between one of the
 * two and anybody. Every command on relations begins with it, so that two that cross come one after the other, and
 * counters go with the rows they count.
 * @throws NOT_FOUND when there is no such account.
 */
export async function lockPerson(tx: Tx, callerId: string, userId: string): Promise<Person> {
  // In the order of the ids: three people who follow each other in a ring would wait for each other otherwise.
  await tx.query("SELECT 1 FROM users WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE", [callerId, userId]);
  const [row] = await tx.query<PersonRow>(
    `SELECT u.id AS user_id, ${relationColumns}, ${isKnowable} AS knowable, u.settings
     FROM users u WHERE u.id = $1 AND u.status <> 'deleted'`,
    [userId, callerId],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  const { knowable, settings, ...relation } = row;
  return { relation, knowable, privacy: completeSettings(settings).privacy };
}

/**
 * Step: somebody with whom the caller may have to do; locked, as by `lockPerson`.
 * @throws NOT_FOUND for whomever he may not know of, BLOCKED for whom he has blocked himself.
 */
export async function accessPerson(tx: Tx, callerId: string, userId: string): Promise<Person> {
  const person = await lockPerson(tx, callerId, userId);
  if (!person.knowable) throw new DomainError("NOT_FOUND");
  if (person.relation.is_blocked) throw new DomainError("BLOCKED", "You have blocked this user.");
  return person;
}
