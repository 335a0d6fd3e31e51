import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";

/** Step: records that the caller created an administrator, or set their password or role. */
export async function recordControl(tx: Tx, caller: AdminPrincipal, adminId: string): Promise<void> {
  await tx.query(
    `INSERT INTO admin_controls (admin_id, controlled_by) SELECT $1::uuid, $2::uuid WHERE $1::uuid <> $2::uuid
     ON CONFLICT DO NOTHING`,
    [adminId, caller.adminId],
  );
}

/**
 * Returns whether one of two administrators could call in the name of the other: they created the account or set its
 * password or role, directly or through accounts in between.
 */
export async function areDependent(tx: Tx, one: string, other: string): Promise<boolean> {
  const [found] = await tx.query<{ dependent: boolean }>(
    `WITH RECURSIVE control (below, above) AS (
       SELECT a, a FROM unnest($1::uuid[]) AS a
       UNION SELECT below, controlled_by FROM control JOIN admin_controls ON admin_id = above
     )
     SELECT EXISTS (SELECT 1 FROM control WHERE below <> above AND above = ANY ($1::uuid[])) AS dependent`,
    [[one, other]],
  );
  return found!.dependent;
}
