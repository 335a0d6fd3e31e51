import { assert } from "#shared/kernel/assert.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import type { SmsCarrier } from "./carriers.ts";

const timeoutMs = 10_000;

/**
 * Returns a carrier that posts text messages as JSON, `{ to, text }`, to an address, with `Authorization: Bearer
 * <token>` if there is a token. Any 2xx response means that it is accepted; as JSON, it may tell a `price_class`.
 */
export function webhookCarrier({ url, token }: { readonly url: string; readonly token?: string }): SmsCarrier {
  assert(isSecureAddress(url), "codes leave this machine only over https");
  return {
    check: async () => {
      const response = await fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      if (response.status >= 500) throw new Error(`the SMS provider responded ${response.status}`);
    },
    send: async ({ to, text }) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ to, text }),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      const priceClass = response.ok ? await priceClassIn(response) : await response.body?.cancel();
      // Without the body, which may repeat the number: this goes to the log and the table of jobs.
      if (!response.ok) throw new Error(`the SMS provider responded ${response.status}`);
      return priceClass ?? undefined;
    },
  };
}

/** Longer responses aren't read. */
const bodyMax = 4096;

/** Returns `price_class` of a response in JSON, if there is one. What a carrier says else doesn't matter. */
async function priceClassIn(response: Response): Promise<string | undefined> {
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  if (!(length > 0 && length <= bodyMax)) {
    await response.body?.cancel();
    return undefined;
  }
  const said: unknown = await response.json().catch(() => undefined);
  const name = (said as { price_class?: unknown } | null | undefined)?.price_class;
  return typeof name === "string" && /^[A-Za-z0-9_.-]{1,30}$/.test(name) ? name : undefined;
}
