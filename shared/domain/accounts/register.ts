import { service } from "#shared/contracts/principal.ts";
import type { LoggedIn, Me } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { grantCoins } from "#shared/domain/ledger/grant-coins.ts";
import { type Device, openSession } from "#shared/domain/sessions/open-session.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { getMe } from "#shared/domain/users/profile.queries.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { DomainError, type FieldError } from "#shared/kernel/domain-error.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { invalidFields, toTakenError } from "./accounts.errors.ts";
import { fullYears, isCalendarDay } from "./age.ts";
import { createAccount } from "./create-account.ts";
import { hashPassword } from "./password.ts";
import { passwordProblem } from "./password-policy.ts";
import { isReservedUsername } from "./reserved-usernames.ts";

/** A validated registration form, with username and email address in lower case. */
export interface Registration extends Pick<Me, "full_name" | "username" | "email"> {
  readonly mobile?: string;
  readonly password: string;
  readonly date_of_birth?: string;
}

/**
 * Registers an account: creates it with its wallet, credits the signup bonus, enqueues the mail (and the text message)
 * that verifies its address, and logs in; all or nothing.
 * @throws VALIDATION_ERROR (reserved name, common password, too young), USERNAME_TAKEN, EMAIL_TAKEN, MOBILE_TAKEN,
 *   RATE_LIMITED when too many passwords are being hashed
 */
export async function register(input: Registration, device: Device): Promise<LoggedIn> {
  const problems = problemsOf(input);
  if (problems.length > 0) throw invalidFields(problems);
  await refuseTaken(input);

  const { full_name, username, email, mobile = null, date_of_birth = null } = input;
  const passwordHash = await hashPassword(input.password);
  try {
    const { userId, tokens } = await inTransaction(async (tx) => {
      const id = await createAccount(tx, { full_name, username, email, mobile, date_of_birth, passwordHash });
      await giveSignupBonus(tx, id);
      await enqueueAccountMail(tx, id, "verify_email");
      if (mobile !== null) await enqueueAccountMail(tx, id, "verify_mobile");
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

/** Saves a hash for a registration that would fail. The unique keys decide; this only checks them early. */
async function refuseTaken({ username, email, mobile }: Registration): Promise<void> {
  const taken = await queryOne<{ username: boolean; email: boolean; mobile: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM users WHERE username = $1) AS username,
       EXISTS (SELECT 1 FROM users WHERE email = $2) AS email, EXISTS (SELECT 1 FROM users WHERE mobile = $3) AS mobile`,
    [username, email, mobile ?? null],
  );
  if (taken?.username) throw new DomainError("USERNAME_TAKEN");
  if (taken?.email) throw new DomainError("EMAIL_TAKEN");
  if (taken?.mobile) throw new DomainError("MOBILE_TAKEN");
}

async function giveSignupBonus(tx: Tx, userId: string): Promise<void> {
  const coins = setting("signup_bonus");
  if (coins === 0) return;
  await grantCoins(tx, { by: service, kind: "signup", userId, coins, reason: "Signup bonus" });
}
