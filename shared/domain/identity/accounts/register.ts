import type { LoggedIn, Me } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { checkContents } from "#shared/domain/base/filter/check-content.ts";
import { assertMayEnter } from "#shared/domain/identity/sanctions/covered.ts";
import { type ClientDevice, openSession } from "#shared/domain/identity/sessions/open-session.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { type FieldText, invalidFields } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { countryOfNumber } from "#shared/kernel/phone-number.ts";
import { acceptTermsStep } from "./accept-terms.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { accountSteps } from "./account-steps.ts";
import { toTakenError } from "./accounts.errors.ts";
import { assertFree, lockAddresses } from "./addresses.ts";
import { ageProblem } from "./age.ts";
import { createAccount } from "./create-account.ts";
import { mayRequest } from "./message-limits.ts";
import { hashPassword } from "./password.ts";
import { passwordProblem } from "./password-policy.ts";
import { isReservedUsername } from "./reserved-usernames.ts";

/** A validated registration form, with username and email address in lower case. */
export interface Registration extends Pick<Me, "full_name" | "username"> {
  readonly email: string;
  readonly mobile?: string;
  readonly password: string;
  readonly date_of_birth?: string;
  /** Of the request. It becomes the one that the user has chosen, so that what is sent to them later is in it, too. */
  readonly language?: Language;
}

/**
 * Registers an account: creates it with its wallet, credits the signup bonus unless it is for verified addresses,
 * enqueues the mail (and the text message) that verifies its address, and logs in; all or nothing. When too many
 * messages were requested for the address, or from this network, the account is created all the same and nothing is
 * sent.
 * @throws VALIDATION_ERROR (reserved name, common password, too young), USERNAME_TAKEN, EMAIL_TAKEN, MOBILE_TAKEN,
 *   CONTENT_BLOCKED for a name, SANCTIONED, RATE_LIMITED when too many passwords are being hashed
 */
export async function register(input: Registration, device: ClientDevice): Promise<LoggedIn> {
  const problems = problemsOf(input);
  if (problems.length > 0) throw invalidFields(problems);
  checkContents(input, { full_name: "name", username: "name" });
  const { full_name, username, email, mobile = null, date_of_birth = null, language } = input;
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
      const profile = { full_name, username, email, mobile, date_of_birth, ...(language && { language }) };
      const id = await createAccount(tx, { ...profile, passwordHash });
      await acceptTermsStep(tx, id);
      await accountSteps().earned(tx, id, { when: "registered", ip });
      if (mayMail) await enqueueAccountMail(tx, id, "verify_email");
      if (mayText) await enqueueAccountMail(tx, id, "verify_mobile");
      await assertMayEnter(tx, id, device);
      return { userId: id, tokens: await openSession(tx, id, device) };
    });
    const { accessToken, refreshToken } = tokens;
    return { user: await getMe(userId), accessToken, refreshToken };
  } catch (error) {
    throw toTakenError(error);
  }
}

function problemsOf({ username, email, password, date_of_birth, mobile }: Registration): FieldText[] {
  const problems: FieldText[] = [];
  if (isReservedUsername(username)) problems.push({ field: "username", text: "{{field}} is reserved" });
  const weakness = passwordProblem(password, { username, email });
  if (weakness) problems.push({ field: "password", text: weakness });
  const age = date_of_birth === undefined ? undefined : ageProblem(date_of_birth, mobile && countryOfNumber(mobile));
  if (age) problems.push(age);
  return problems;
}
