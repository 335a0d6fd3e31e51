import type { LoggedIn, Me } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type Device, openSession } from "#shared/domain/sessions/open-session.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { getMe } from "#shared/domain/users/profile.queries.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import type { FieldError } from "#shared/kernel/domain-error.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { invalidFields, toTakenError } from "./accounts.errors.ts";
import { assertFree, lockAddresses } from "./addresses.ts";
import { fullYears, isCalendarDay } from "./age.ts";
import { createAccount } from "./create-account.ts";
import { mayRequest } from "./message-limits.ts";
import { hashPassword } from "./password.ts";
import { passwordProblem } from "./password-policy.ts";
import { isReservedUsername } from "./reserved-usernames.ts";
import { giveSignupBonus } from "./signup-bonus.ts";

/** A validated registration form, with username and email address in lower case. */
export interface Registration extends Pick<Me, "full_name" | "username" | "email"> {
  readonly mobile?: string;
  readonly password: string;
  readonly date_of_birth?: string;
}

/**
 * Registers an account: creates it with its wallet, credits the signup bonus unless it is for verified addresses, enqueues
 * the mail (and the text message) that verifies its address, and logs in; all or nothing. When too many messages were
 * requested for the address, or from this network, the account is created all the same and nothing is sent.
 * @throws VALIDATION_ERROR (reserved name, common password, too young), USERNAME_TAKEN, EMAIL_TAKEN, MOBILE_TAKEN,
 *   RATE_LIMITED when too many passwords are being hashed
 */
export async function register(input: Registration, device: Device): Promise<LoggedIn> {
  const problems = problemsOf(input);
  if (problems.length > 0) throw invalidFields(problems);
  const { full_name, username, email, mobile = null, date_of_birth = null } = input;
  // Saves a hash for a registration that would fail; below, it is decided.
  await assertFree(query, { username, email, mobile });
  const passwordHash = await hashPassword(input.password);
  const { ip } = device;
  const mayMail = await mayRequest({ about: "verify_email", address: email, ip });
  const mayText = mobile !== null && (await mayRequest({ about: "verify_mobile", address: mobile, ip }));

  try {
    const { userId, tokens } = await inTransaction(async (tx) => {
      await lockAddresses(tx, { email, mobile });
      await assertFree(tx.query, { username, email, mobile });
      const id = await createAccount(tx, { full_name, username, email, mobile, date_of_birth, passwordHash });
      await giveSignupBonus(tx, id, { when: "registered", ip });
      if (mayMail) await enqueueAccountMail(tx, id, "verify_email");
      if (mayText) await enqueueAccountMail(tx, id, "verify_mobile");
      return { userId: id, tokens: await openSession(tx, id, device) };
    });
    const { accessToken, refreshToken } = tokens;
    return { user: await getMe(userId), accessToken, refreshToken };
  } catch (error) {
    throw toTakenError(error);
  }
}

function problemsOf({ username, email, password, date_of_birth }: Registration): FieldError[] {
  const problems: FieldError[] = [];
  if (isReservedUsername(username)) problems.push({ field: "username", message: "username is reserved" });
  const weakness = passwordProblem(password, { username, email });
  if (weakness) problems.push({ field: "password", message: weakness });
  const age = date_of_birth === undefined ? undefined : ageProblem(date_of_birth);
  if (age) problems.push({ field: "date_of_birth", message: age });
  return problems;
}

function ageProblem(born: string): string | undefined {
  const today = isoNow().slice(0, 10);
  if (!isCalendarDay(born) || born > today || born < "1900-01-01") return "date_of_birth must be a valid date of birth";
  const minimum = setting("minimum_age");
  return fullYears(born, today) < minimum ? `you must be at least ${minimum} years old` : undefined;
}
