import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { accessTokenRules } from "./access-token.ts";

/** Returns what a browser without a login is known by: 128 random bits. */
export const newVisit = (): string => randomBytes(16).toString("base64url");

/**
 * Returns the token that the forms of a page contain, for the cookie that the browser sends along: only we know both.
 */
export const formTokenOf = (cookie: string): string =>
  createHmac("sha256", accessTokenRules.secret).update(`form token of ${cookie}`).digest("base64url");

/** Returns whether a form comes from a page that was made for this cookie. */
export function isFormToken(token: unknown, cookie: string): boolean {
  const [given, expected] = [Buffer.from(String(token)), Buffer.from(formTokenOf(cookie))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
