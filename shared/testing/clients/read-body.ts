import type { IncomingMessage } from "node:http";

/** The body of a request as text; undefined when its client has broken it off. */
export async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk as Buffer);
  } catch {
    return undefined; // As when it has taken too long for the caller.
  }
  return Buffer.concat(chunks).toString();
}
