import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { toTakenError } from "#shared/domain/identity/accounts/accounts.errors.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { type NewProfile, problemsOf } from "./new-profile.ts";

/**
 * Completes the caller's profile after a way in that registered the account: replaces a made username, once, and sets a
 * date of birth that isn't known yet. What is the same as now changes nothing. A new country must admit the user's age.
 * @throws VALIDATION_ERROR (reserved name, too young, or no longer to be changed), USERNAME_TAKEN,
 *   CONTENT_BLOCKED
 */
export async function completeProfile(
  { userId }: UserPrincipal,
  { username, date_of_birth, country }: Pick<NewProfile, "username" | "date_of_birth"> & { country?: string | null },
): Promise<void> {
  if (username === undefined && date_of_birth === undefined && !country) return;
  checkContents({ username }, { username: "name" }, await authorOf(userId));
  await inTransaction(async (tx) => {
    const user = await User.lock(tx, { id: userId }, ["username", "username_made", "date_of_birth", "country"]);
    if (!user) throw new DomainError("UNAUTHENTICATED");
    const born = date_of_birth ?? (country && user.date_of_birth);
    const said = { ...(username && { username }), ...(born && { date_of_birth: born }) };
    const problems = problemsOf(said, country ?? user.country);
    if (problems.length > 0) throw invalidFields(problems);
    const renames = username !== undefined && username !== user.username;
    if (renames && !user.username_made) throw invalidFields([unchangeable("username")]);
    if (date_of_birth !== undefined && user.date_of_birth !== null && date_of_birth !== user.date_of_birth)
      throw invalidFields([unchangeable("date_of_birth")]);
    const changes = { ...(username && { username, username_made: false }), ...(date_of_birth && { date_of_birth }) };
    if (Object.keys(changes).length > 0) await User.change(tx, { id: userId }, changes);
    if (renames) await tx.publish("user.card_changed", { user_id: userId });
  }).catch((error: unknown) => {
    throw toTakenError(error);
  });
}

const unchangeable = (field: string) => ({ field, text: "{{field}} can no longer be changed" });
