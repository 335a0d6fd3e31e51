import type { SanctionCover, SanctionKind } from "#shared/contracts/sanction-rights.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { type ClientDevice, hashOfDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { networkOf } from "#shared/kernel/network-of.ts";

/** The most devices, and the most networks, that one sanction covers: those that the user used last. */
const targetsMax = 20;
/** What counts as used lately. */
const lately = "last_used_at > now() - interval '7 days'";

export const hashOfNetwork = (ip: string): Buffer => keyedHash("network of a sanction", networkOf(ip));

/** Step: has a sanction cover the devices or networks that its user used lately. */
export async function coverStep(tx: Tx, id: string, userId: string, covers: readonly SanctionCover[]): Promise<void> {
  if (covers.includes("device"))
    await tx.query(
      `INSERT INTO sanction_targets (sanction_id, kind, hash)
       SELECT $2, 'device', device_hash FROM sessions WHERE user_id = $1 AND device_hash IS NOT NULL AND ${lately}
       GROUP BY device_hash ORDER BY max(last_used_at) DESC LIMIT ${targetsMax}`,
      [userId, id],
    );
  if (!covers.includes("network")) return;
  const used = await tx.query<{ ip: string }>(
    `SELECT ip FROM sessions WHERE user_id = $1 AND ip <> '' AND ${lately}
     GROUP BY ip ORDER BY max(last_used_at) DESC LIMIT ${targetsMax}`,
    [userId],
  );
  await tx.query(
    `INSERT INTO sanction_targets (sanction_id, kind, hash) SELECT $1, 'network', unnest($2::bytea[]) ON CONFLICT DO NOTHING`,
    [id, used.map(({ ip }) => hashOfNetwork(ip))],
  );
}

interface Covering {
  readonly user_id: string;
  readonly kinds: readonly SanctionKind[];
  readonly reason: string;
}

/**
 * Step: asserts that no sanction keeps a user from logging in from a device or network. The one who was sanctioned may,
 * to appeal. Every process learns of a session on a device that is covered otherwise.
 * @throws SANCTIONED with the reason
 */
export async function assertMayEnter(tx: Tx, userId: string, { deviceId, ip }: Partial<ClientDevice>): Promise<void> {
  const hashes = [...(ip ? [hashOfNetwork(ip)] : []), ...(deviceId ? [hashOfDevice(deviceId)] : [])];
  const covering = await tx.query<Covering & Record<string, unknown>>(
    `SELECT s.user_id, s.kinds, s.reason FROM sanction_targets t JOIN sanctions s ON s.id = t.sanction_id
     WHERE t.hash = ANY($1::bytea[]) AND s.lifted_at IS NULL AND (s.until IS NULL OR s.until > now()) ORDER BY s.id`,
    [hashes],
  );
  const refusing = covering.find(({ user_id, kinds }) => user_id !== userId && kinds.includes("login"));
  if (refusing) throw new DomainError("SANCTIONED", refusing.reason);
  for (const { user_id } of covering) await tx.signal("user.sanctioned", { user_id });
}

/** Deletes what sanctions covered that no longer hold, some at a time. Returns how many. Called by a job. */
export const pruneCovered = (most = 1000): Promise<number> =>
  deleteBatch(
    {
      from: "sanction_targets",
      key: "sanction_id, hash",
      where: "sanction_id IN (SELECT id FROM sanctions WHERE lifted_at IS NOT NULL OR until <= now())",
    },
    most,
  );
