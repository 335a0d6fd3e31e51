import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { AgeSignal } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { currentAge, noteChangedAge } from "#shared/domain/identity/sessions/current-age.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { type StandingRow, standingColumns, standingOf } from "#shared/domain/identity/sessions/standing.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { AgeSignals } from "./age-signal.model.ts";

type Signal = Omit<AgeSignal, "is_frozen" | "band">;

/**
 * Stores what the app store says of the caller's age, which holds at once. If the account is frozen thereby, all its
 * sessions end.
 */
export async function setAgeSignal(caller: UserPrincipal, signal: Signal): Promise<AgeSignal> {
  const { userId } = caller;
  const { range, ...rest } = signal;
  const age = await inTransaction(async (tx) => {
    await User.lock(tx, { id: userId }, ["id"]);
    const row = { user_id: userId, ...rest, ...range, received_at: isoNow() };
    await AgeSignals.put(tx, row, ["user_id"], ["source", "lower", "upper", "method", "consent", "received_at"]);
    const [user] = await tx.query<StandingRow>(`SELECT ${standingColumns} FROM users u WHERE u.id = $1`, [userId]);
    const { age = null } = standingOf(user!);
    if (age === "frozen" && currentAge(caller) !== "frozen") await revokeSessionsOf(tx, userId, "frozen");
    await tx.signal("user.age_changed", { user_id: userId, age });
    tx.afterCommit(() => noteChangedAge(userId, age));
    return age;
  });
  return { ...signal, is_frozen: age === "frozen", band: age === "frozen" ? null : age };
}
