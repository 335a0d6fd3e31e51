import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns the HMAC-SHA256 in lower-case hex. */
export const sign = (secret: string, message: string | Buffer): string =>
  createHmac("sha256", secret).update(message).digest("hex");

/** Returns whether one of the secrets has signed the message, in constant time. */
export function isSigned(secrets: readonly string[], message: string | Buffer, signature: string): boolean {
  const given = Buffer.from(signature, "utf8");
  const fits = secrets.map((secret) => {
    const expected = Buffer.from(sign(secret, message), "utf8");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return fits.includes(true);
}
