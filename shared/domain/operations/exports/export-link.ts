import { timingSafeEqual } from "node:crypto";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { publicAddress } from "#shared/kernel/public-address.ts";

/** The path of a download; without values, as Express matches it. */
export const exportPath = (id = ":id", signature = ":signature"): string => `/exports/${id}/${signature}`;

const signatureOf = (id: string): Buffer => keyedHash("link of export", id);

/** Returns the link of an export. It works without a login, as long as the export is there. */
export const exportLink = (id: string): string =>
  publicAddress() + exportPath(id, signatureOf(id).toString("base64url"));

/** Returns whether a link is one of ours. */
export function isExportLink(id: string, signature: string): boolean {
  const [given, expected] = [Buffer.from(signature, "base64url"), signatureOf(id)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
