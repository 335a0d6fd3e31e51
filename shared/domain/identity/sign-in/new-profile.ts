import { randomInt } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { ageProblem } from "#shared/domain/identity/accounts/age.ts";
import { isReservedUsername } from "#shared/domain/identity/accounts/reserved-usernames.ts";
import type { FieldText } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";

/** What a new user says of themselves. Validated. */
export interface NewProfile {
  readonly full_name?: string;
  /** In lower case. If absent, one is made, which they may change once. */
  readonly username?: string;
  readonly date_of_birth?: string;
  readonly language?: Language;
}

/** Returns what is wrong with the profile of a new account of this country, if it is known. */
export function problemsOf({ username, date_of_birth }: NewProfile, country?: string | null): FieldText[] {
  const age = date_of_birth === undefined ? undefined : ageProblem(date_of_birth, country);
  return [
    ...(username !== undefined && isReservedUsername(username)
      ? [{ field: "username", text: "{{field}} is reserved" }]
      : []),
    ...(age ? [age] : []),
  ];
}

/** Without letters that look like digits. */
const letters = "abcdefghjkmnpqrstuvwxyz23456789";
const length = 10;

/** Step: returns a free username: of 31^10, the first one nearly always. */
export async function usernameFor(tx: Tx): Promise<string> {
  for (;;) {
    const name = `user_${Array.from({ length }, () => letters[randomInt(letters.length)]).join("")}`;
    if ((await tx.query("SELECT 1 FROM users WHERE username = $1", [name])).length === 0) return name;
  }
}
