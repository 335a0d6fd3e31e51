import { secondsMs } from "#shared/kernel/clock.ts";

/** How long one request to a provider may take. */
export const deadlineMs = secondsMs(3);
/** The largest document that is read. Google's key set has 1.5 KB. */
const documentBytesMax = 128 * 1024;

/** A provider has responded with an error. */
export class ProviderError extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${url} responded ${status}`);
    this.status = status;
  }
}

/**
 * Fetches a document of a provider, which may neither redirect, nor be huge or slow.
 * @throws ProviderError when the response is no success
 */
export async function boundedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, {
    redirect: "error",
    ...init,
    signal: init.signal ?? AbortSignal.timeout(deadlineMs),
    headers: { accept: "application/json", ...init.headers },
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new ProviderError(url, response.status);
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.length;
    if (bytes > documentBytesMax) throw new Error(`${url} sent more than ${documentBytesMax} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { headers: { "content-type": "application/json" } });
}
