import { dictionary } from "@zxcvbn-ts/language-common";

/**
 * Likely passwords of our users that the dictionary, collected elsewhere, lacks: words of India, of games and apps, and
 * the product's name.
 */
const local = `ashutosh companyname confidential dhoni dontforget forgotpassword fortnite freefire ganpatibappa hondacity
  hubbub iloveyousomuch instagram jaihind jaishreeram kohli msdhoni oldpassword omnamahshivay pooja pubg pubgmobile
  radhakrishna radheradhe rememberme roblox rohit siddharth thepassword useruser virat whatsapp yourpassword`;

/** Some 49,000 common passwords in lower case: people choose them first, and attackers try them first. */
const common = new Set([...dictionary["passwords-common"], ...local.split(/\s+/)]);

/** Suffixes that people append to a rejected word: "Welcome2026!" counts as "welcome". */
const tail = /[\d!@#$%&*._-]{1,6}$/;

/** Birthdays, phone numbers, and rows of keys. */
const digitsAlone = /^[\d!@#$%^&*()._-]{1,15}$/;

/** "adminadmin" is as easily guessed as "admin". */
const repeated = /^(.{1,8})\1+$/u;

/**
 * Returns why a password of allowed length is not accepted, or undefined. Length matters more than symbols and digits
 * (NIST SP 800-63B), so none are required. The list is far longer than the 3,000 that OWASP's ASVS requires.
 */
export function passwordProblem(password: string, owner: { username: string; email: string }): string | undefined {
  const folded = password.normalize("NFC").toLowerCase();
  const localPart = owner.email.slice(0, owner.email.indexOf("@"));
  if ([owner.username, owner.email, localPart].includes(folded))
    return "password must not be the username or email address";
  if (common.has(folded) || common.has(folded.replace(tail, ""))) return "password is too common";
  if (digitsAlone.test(folded)) return "password must not consist of digits and symbols alone";
  if (repeated.test(folded) || new Set(folded).size < 3) return "password must not consist of a repeated pattern";
  return undefined;
}
