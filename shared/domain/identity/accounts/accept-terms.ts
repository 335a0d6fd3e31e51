import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Terms } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { noteAcceptedTerms } from "../sessions/current-terms.ts";
import { TermsAcceptance } from "./terms.model.ts";

/** Returns the version of the terms that holds, and what the user has accepted. */
export async function getTerms({ userId }: UserPrincipal): Promise<Terms> {
  const latest = await queryOne<{ accepted: string; accepted_at: string }>(
    `SELECT version AS accepted, accepted_at FROM terms_acceptances WHERE user_id = $1
     ORDER BY accepted_at DESC LIMIT 1`,
    [userId],
  );
  return { version: setting("terms_version") || null, accepted: null, accepted_at: null, ...latest };
}

/** Step: records that a user has accepted the terms that hold, if there are any. */
export async function acceptTermsStep(tx: Tx, user_id: string): Promise<void> {
  const version = setting("terms_version");
  if (version)
    await TermsAcceptance.put(tx, { user_id, version, accepted_at: isoNow() }, ["user_id", "version"], ["accepted_at"]);
}

/**
 * Accepts a version of the terms: the one that holds. From then on, every process lets the user's tokens pass.
 * @throws CONFLICT for another version
 */
export async function acceptTerms(caller: UserPrincipal, version: string): Promise<Terms> {
  const { userId: user_id } = caller;
  await inTransaction(async (tx) => {
    if (version !== setting("terms_version"))
      throw new DomainError("CONFLICT", "The terms have changed. Show the version that holds.");
    await acceptTermsStep(tx, user_id);
    await tx.signal("user.terms_accepted", { user_id, version });
    tx.afterCommit(() => noteAcceptedTerms(user_id, version));
  });
  return getTerms(caller);
}
