import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { toTakenError } from "#shared/domain/identity/accounts/accounts.errors.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { type NewProfile, problemsOf } from "./new-profile.ts";

/**
 * Completes the caller's profile after a way in that registered the account: replaces a made username, once, and sets a
 * date of birth that isn't known yet. What is the same as now changes nothing.
 * @throws VALIDATION_ERROR (reserved name, too young, or no longer to be changed), USERNAME_TAKEN
 */
export async function completeProfile(
  { userId }: UserPrincipal,
  { username, date_of_birth }: Pick<NewProfile, "username" | "date_of_birth">,
): Promise<void> {
  if (username === undefined && date_of_birth === undefined) return;
  const problems = problemsOf({ ...(username && { username }), ...(date_of_birth && { date_of_birth }) });
  if (problems.length > 0) throw invalidFields(problems);
  await inTransaction(async (tx) => {
    const [user] = await tx.query<{ username: string; username_made: boolean; date_of_birth: string | null }>(
      "SELECT username, username_made, date_of_birth FROM users WHERE id = $1 FOR NO KEY UPDATE",
      [userId],
    );
    if (!user) throw new DomainError("UNAUTHENTICATED");
    const renames = username !== undefined && username !== user.username;
    if (renames && !user.username_made) throw invalidFields([unchangeable("username")]);
    if (date_of_birth !== undefined && user.date_of_birth !== null && date_of_birth !== user.date_of_birth)
      throw invalidFields([unchangeable("date_of_birth")]);
    await tx.query(
      `UPDATE users SET username = coalesce($2, username), username_made = username_made AND $2::text IS NULL,
         date_of_birth = coalesce($3::date, date_of_birth) WHERE id = $1`,
      [userId, username ?? null, date_of_birth ?? null],
    );
    if (renames) await tx.publish("user.card_changed", { user_id: userId });
  }).catch((error: unknown) => {
    throw toTakenError(error);
  });
}

const unchangeable = (field: string) => ({ field, text: "{{field}} can no longer be changed" });
