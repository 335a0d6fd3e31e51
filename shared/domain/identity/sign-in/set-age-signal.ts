import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { AgeSignal } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { type StandingRow, standingColumns, standingOf } from "#shared/domain/identity/sessions/standing.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { AgeSignals } from "./age-signal.model.ts";

type Signal = Omit<AgeSignal, "is_frozen" | "band">;

/**
 * Stores what the app store says of the caller's age. If the account is frozen thereby, all its sessions end. Access
 * tokens name the band, so the caller refreshes theirs.
 */
export async function setAgeSignal({ userId, age }: UserPrincipal, signal: Signal): Promise<AgeSignal> {
  const { range, ...rest } = signal;
  await inTransaction(async (tx) => {
    const row = { user_id: userId, ...rest, ...range, received_at: isoNow() };
    await AgeSignals.put(tx, row, ["user_id"], ["source", "lower", "upper", "method", "consent", "received_at"]);
    const [user] = await tx.query<StandingRow>(`SELECT ${standingColumns} FROM users u WHERE u.id = $1`, [userId]);
    if (age !== "frozen" && standingOf(user!).age === "frozen") await revokeSessionsOf(tx, userId, "frozen");
  });
  const stored = (await queryOne<StandingRow>(`SELECT ${standingColumns} FROM users u WHERE u.id = $1`, [userId]))!;
  const standing = standingOf(stored).age;
  const isFrozen = standing === "frozen";
  return { ...signal, is_frozen: isFrozen, band: isFrozen ? null : (standing ?? null) };
}
