import type { Me } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
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
  const id = newId();
  await tx.query(
    `INSERT INTO users (id, username, email, mobile, full_name, password_hash, date_of_birth, settings, language,
       username_made, is_guest)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      account.username,
      account.email,
      account.mobile,
      account.full_name,
      account.passwordHash,
      account.date_of_birth,
      JSON.stringify(defaultUserSettings),
      account.language ?? null,
      account.usernameMade ?? false,
      account.guest ?? false,
    ],
  );
  await accountSteps().opened(tx, id);
  return id;
}
