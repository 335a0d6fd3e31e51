import { createHmac, randomBytes } from "node:crypto";

/** Secrets of Standard Webhooks begin with this; the rest is the key, in base64. */
export const secretPrefix = "whsec_";

/** Returns a new secret. */
export const newSecret = (): string => secretPrefix + randomBytes(32).toString("base64");

/**
 * Returns the headers of a call, by the Standard Webhooks specification. With several secrets, while one replaces
 * another, each signs. `timestamp`: seconds since 1970.
 */
export function signedHeaders(
  secrets: string | readonly string[],
  id: string,
  timestamp: number,
  body: string,
): Record<string, string> {
  const signatures = [secrets].flat().map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": signatures.join(" ") };
}
