import type { Permission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { toTakenError } from "#shared/domain/identity/accounts/accounts.errors.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { hashSecret, newSecret } from "#shared/domain/identity/api-keys/secrets.ts";
import { problemsOf } from "#shared/domain/identity/sign-in/new-profile.ts";
import { assertHolds } from "#shared/domain/operations/admins/manage-roles.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { managedServerKeys } from "./managed-server-keys.ts";
import { botPermission, keyPrefix } from "./server-callers.ts";
import { ServerKeyModel } from "./server-key.model.ts";

export type KeyShown = ManagedRecord & { readonly key: string };

/** The most bots of a key. */
const botsMax = 100;

type Input = Readonly<Record<string, unknown>>;

/**
 * Creates a key, which works from now on. It is in this result and nowhere else.
 * @throws FORBIDDEN for permissions that the caller lacks, CONFLICT when there are 50
 */
export async function createServerKey(caller: AdminPrincipal, input: Input): Promise<KeyShown> {
  const key = keyPrefix + newSecret();
  const { id } = await createManaged(caller, managedServerKeys, input, async (tx, made) => {
    await assertHolds(tx, caller, async () => input.permissions as Permission[]);
    await ServerKeyModel.change(tx, { id: made }, { hash: hashSecret(key), created_by: caller.adminId });
  });
  return { ...(await getManaged(managedServerKeys, id)), key };
}

/**
 * Changes a key of the caller, from its next call on.
 * @throws NOT_FOUND, FORBIDDEN for a key of another, and for permissions that the caller lacks; CONFLICT
 */
export const updateServerKey = (
  caller: AdminPrincipal,
  id: string,
  changes: Input,
  version?: number,
): Promise<ManagedRecord> =>
  updateManaged(caller, managedServerKeys, id, changes, {
    version,
    within: async (tx) => {
      await lockOwn(tx, caller, id);
      await assertHolds(tx, caller, async () => (changes.permissions ?? []) as Permission[]);
      return {};
    },
  });

/**
 * Gives a key of the caller another secret. For `hours`, the previous one works, too.
 * @throws NOT_FOUND, FORBIDDEN for a key of another
 */
export async function rotateServerKey(caller: AdminPrincipal, id: string, hours: number): Promise<KeyShown> {
  const key = keyPrefix + newSecret();
  await inTransaction(async (tx) => {
    await lockOwn(tx, caller, id);
    await tx.query(
      `UPDATE server_keys SET previous_hash = hash, hash = $2, previous_until = now() + $3 * interval '1 hour',
         updated_at = now(), version = version + 1
       WHERE id = $1`,
      [id, hashSecret(key), hours],
    );
    const target = { type: managedServerKeys.name, id };
    await tx.audit(caller, { action: "server_key.rotate", target, after: { overlap_hours: hours } });
  });
  return { ...(await getManaged(managedServerKeys, id)), key };
}

/**
 * Registers a user whom only this key of the caller can act as: the account has no way to log in. Returns the ID.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT when the key has 100, USERNAME_TAKEN, VALIDATION_ERROR
 */
export async function createBot(
  caller: AdminPrincipal,
  id: string,
  { username, full_name }: { readonly username: string; readonly full_name: string },
): Promise<string> {
  const problems = problemsOf({ username });
  if (problems.length > 0) throw invalidFields(problems);
  checkContents({ username, full_name }, { full_name: "name", username: "name" });
  return inTransaction(async (tx) => {
    const { bots } = await lockOwn(tx, caller, id);
    await assertHolds(tx, caller, async () => [botPermission]);
    if (bots.length >= botsMax)
      throw new DomainError("CONFLICT", "A server key can have at most {{count}} bots.", {
        values: { count: botsMax },
      });
    const about = { email: null, mobile: null, date_of_birth: null, passwordHash: null } as const;
    const userId = await createAccount(tx, { username, full_name, ...about });
    await tx.query("UPDATE server_keys SET bots = bots || $2::uuid WHERE id = $1", [id, userId]);
    const target = { type: managedServerKeys.name, id };
    await tx.audit(caller, { action: "server_key.create_bot", target, after: { user_id: userId } });
    return userId;
  }).catch((error: unknown) => {
    throw toTakenError(error);
  });
}

/** Step: a key acts in the name of who created it, so that no one else may get its secret, or change what it may do. */
async function lockOwn(tx: Tx, { adminId }: AdminPrincipal, id: string): Promise<{ bots: readonly string[] }> {
  const found = await ServerKeyModel.lock(tx, { id }, ["created_by", "bots"]);
  if (!found) throw new DomainError("NOT_FOUND");
  if (found.created_by !== adminId) throw new DomainError("FORBIDDEN", "Only who created a server key may change it.");
  return found;
}
