import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

const lifeSeconds = 3600;

/** The path of a page; without values, as Express matches it. */
export const statementPath = (user = ":user", period = ":period", until = ":until", signature = ":signature"): string =>
  `/statements/${user}/${period}/${until}/${signature}`;

const signatureOf = (user: string, period: string, until: string): Buffer =>
  keyedHash("link of statement", user, period, until);

/** Returns the link of a statement's page. It works without a login, for an hour. */
export function statementLink(user: string, period: string): string {
  const until = String(Math.floor(clock.now() / 1000) + lifeSeconds);
  return publicAddress() + statementPath(user, period, until, signatureOf(user, period, until).toString("base64url"));
}

/** Returns whether a link is one of ours, and still works. */
export function isStatementLink(user: string, period: string, until: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(user, period, until)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Number(until) * 1000 > clock.now();
}
