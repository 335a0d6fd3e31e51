import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

const validMs = minutesMs(5);

/** The path of a seat's audio; without values, as Express matches it. */
export const audioPath = (id = ":id", userId = ":userId", until = ":until", signature = ":signature"): string =>
  `/voice-evidence/${id}/${userId}/${until}/${signature}`;

const signatureOf = (id: string, userId: string, until: string): Buffer =>
  keyedHash("audio of evidence", id, userId, until);

/** Returns a link to what one user said. It works without a login, for five minutes. */
export function audioLink(id: string, userId: string): string {
  const until = String(clock.now() + validMs);
  return publicAddress() + audioPath(id, userId, until, signatureOf(id, userId, until).toString("base64url"));
}

/** Returns whether a link is one of ours, and still valid. */
export function isAudioLink(id: string, userId: string, until: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(id, userId, until)];
  return given.length === expected.length && timingSafeEqual(given, expected) && Number(until) > clock.now();
}
