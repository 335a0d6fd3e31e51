import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

const lifeSeconds = 3600;

/** The path of a page; without values, as Express matches it. */
export const receiptPath = (id = ":id", until = ":until", signature = ":signature"): string =>
  `/receipts/${id}/${until}/${signature}`;

const signatureOf = (id: string, until: string): Buffer => keyedHash("link of receipt", id, until);

/** Returns the link of the page of a receipt or a note. It works without a login, for an hour. */
export function receiptLink(id: string): string {
  const until = String(Math.floor(clock.now() / 1000) + lifeSeconds);
  return publicAddress() + receiptPath(id, until, signatureOf(id, until).toString("base64url"));
}

/** Returns whether a link is one of ours, and still works. */
export function isReceiptLink(id: string, until: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(id, until)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  return Number(until) * 1000 > clock.now();
}
