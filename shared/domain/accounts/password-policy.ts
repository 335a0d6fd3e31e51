import { readFileSync } from "node:fs";

/** Common passwords, one a line, in lower case: people choose them first, and attackers try them first. */
const common = new Set(readFileSync(new URL("common-passwords.txt", import.meta.url), "utf8").split("\n"));

/** What people append to a rejected word: "Welcome2026!" is "welcome". */
const tail = /[\d!@#$%&*._-]{1,6}$/;

/**
 * Returns why a password of allowed length is not accepted, or undefined. Length matters more than symbols and digits
 * (NIST SP 800-63B), so none are required.
 */
export function passwordProblem(password: string, owner: { username: string; email: string }): string | undefined {
  const folded = password.normalize("NFC").toLowerCase();
  if (common.has(folded) || common.has(folded.replace(tail, ""))) return "password is too common";
  if (new Set(folded).size < 3) return "password must not consist of a repeated pattern";
  const localPart = owner.email.slice(0, owner.email.indexOf("@"));
  if ([owner.username, owner.email, localPart].includes(folded))
    return "password must not be the username or email address";
  return undefined;
}
