import { assert } from "#shared/kernel/assert.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import type { SmsCarrier } from "./carriers.ts";

const timeoutMs = 10_000;

/**
 * Carries text messages by posting `{ to, text }` as JSON to an address, with `Authorization: Bearer <token>` when there
 * is a token. Any answer of 2xx means that it was taken.
 */
export function webhookCarrier({ url, token }: { readonly url: string; readonly token?: string }): SmsCarrier {
  assert(isSecureAddress(url), "codes leave this machine only over https");
  return {
    send: async ({ to, text }) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ to, text }),
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      // The answer may repeat the number, and this goes to the log and to the table of jobs.
      if (!response.ok) throw new Error(`the SMS provider answered ${response.status}`);
    },
  };
}
