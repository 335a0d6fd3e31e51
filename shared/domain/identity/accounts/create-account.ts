import type { Me } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { defaultUserSettings } from "#shared/domain/identity/users/user-settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { accountSteps } from "./account-steps.ts";

/** An account to create; everything is checked and normalized. */
export type NewAccount = Pick<Me, "full_name" | "username" | "email" | "mobile" | "date_of_birth"> & {
  /** Null if its owner logs in another way. */
  readonly passwordHash: string | null;
  /** The username was made, and may be changed once. */
  readonly usernameMade?: true;
  readonly guest?: true;
  readonly language?: Language;
};

/** Step: creates a user with an empty wallet. Returns the user's id. Violates a unique key when a name is taken. */
export async function createAccount(tx: Tx, account: NewAccount): Promise<string> {
  const { passwordHash, usernameMade = false, guest = false, ...profile } = account;
  const { id } = await User.insert(tx, {
    id: newId(),
    ...profile,
    password_hash: passwordHash,
    settings: defaultUserSettings,
    username_made: usernameMade,
    is_guest: guest,
  });
  await accountSteps().opened(tx, id);
  await tx.publish("user.registered", { user_id: id, is_guest: guest });
  return id;
}
