import { createHmac } from "node:crypto";

/** Secrets of Standard Webhooks begin with this; the rest is the key, in base64. */
export const secretPrefix = "whsec_";

/** Returns the headers of a call, by the Standard Webhooks specification. `timestamp`: seconds since 1970. */
export function signedHeaders(secret: string, id: string, timestamp: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": `${timestamp}`, "webhook-signature": `v1,${signature}` };
}
