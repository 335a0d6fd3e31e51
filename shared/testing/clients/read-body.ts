import type { IncomingMessage } from "node:http";

/** Returns the body of a request as text, or undefined if the client aborted it. */
export async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    return undefined; // For example, after a timeout of the client.
  }
  return Buffer.concat(chunks).toString();
}
