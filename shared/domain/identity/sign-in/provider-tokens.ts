import { createPrivateKey } from "node:crypto";
import { SignJWT } from "jose";
import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";
import { boundedFetch, ProviderError } from "./bounded-fetch.ts";
import { Identities } from "./identity.model.ts";
import { providerWithSecret } from "./openid.config.ts";

/**
 * Apple demands that an app which deletes an account revokes its access. For this, the code of a login is exchanged for
 * a refresh token, which nothing else uses. What is sealed is a token and the client ID that it was issued for.
 */
interface Held {
  readonly client_id: string;
  readonly token: string;
}

interface Exchange {
  readonly provider: string;
  readonly subject: string;
  readonly client_id: string;
  /** Sealed, so that the table of jobs reveals none. */
  readonly code: string;
}

/** A code holds for five minutes. */
export const exchangeCodeJob = defineJob<Exchange>("sign-in.exchange", {
  retries: 7,
  retryMaxSeconds: 60,
  timeoutSeconds: 30,
});

/** `user_id` is the owner that the token was sealed for. */
export const revokeTokenJob = defineJob<{ provider: string; user_id: string; sealed: string }>("sign-in.revoke", {
  retries: 30,
  retryMaxSeconds: 3600,
  timeoutSeconds: 30,
});

const codeContext = "authorization code";
const contextOf = (userId: string): string => `identity ${userId}`;

/** Step: has the code of a login exchanged after the commit. Does nothing for providers without a secret. */
export async function exchangeLater(
  tx: Tx,
  { provider, subject, client_id, code }: Omit<Exchange, "code"> & { readonly code: string | undefined },
): Promise<void> {
  if (code === undefined || !providerWithSecret(provider)) return;
  await tx.enqueue(exchangeCodeJob, { provider, subject, client_id, code: seal(codeContext, code) });
}

/**
 * Exchanges a code for a refresh token, and keeps it with the identity; handles `exchangeCodeJob`. The token of an
 * identity that is gone by now is revoked.
 * @throws Error when the provider can't be reached now
 */
export async function exchangeCode({ provider, subject, client_id, code: sealed }: Exchange): Promise<void> {
  const code = unseal(codeContext, sealed);
  const answer = code && (await ask(provider, "token_endpoint", { client_id, grant_type: "authorization_code", code }));
  const token = answer && ((await answer.json()) as { refresh_token?: unknown }).refresh_token;
  if (typeof token !== "string") return void logger.warn({ provider }, "a code wasn't exchanged for a refresh token");
  await inTransaction(async (tx) => {
    const text = JSON.stringify({ client_id, token } satisfies Held);
    const identity = await Identities.lock(tx, { provider, subject }, ["user_id"]);
    const owner = identity?.user_id ?? "";
    const held = seal(contextOf(owner), text);
    if (identity) await Identities.change(tx, { provider, subject }, { secret: held });
    else await tx.enqueue(revokeTokenJob, { provider, user_id: owner, sealed: held });
  });
}

/** Step: deletes identities of a user, all or one, and has their tokens revoked after the commit. */
export async function deleteIdentities(tx: Tx, userId: string, provider?: string): Promise<void> {
  const deleted = await tx.query<{ provider: string; secret: string | null }>(
    "DELETE FROM identities WHERE user_id = $1 AND ($2::text IS NULL OR provider = $2) RETURNING provider, secret",
    [userId, provider ?? null],
  );
  for (const { provider: of, secret: sealed } of deleted)
    if (sealed !== null) await tx.enqueue(revokeTokenJob, { provider: of, user_id: userId, sealed });
}

/**
 * Revokes a token at its provider; handles `revokeTokenJob`. Revoking twice does no harm.
 * @throws Error when the provider can't be reached now, or refuses
 */
export async function revokeToken(job: { provider: string; user_id: string; sealed: string }): Promise<void> {
  const text = unseal(contextOf(job.user_id), job.sealed);
  if (text === undefined || !providerWithSecret(job.provider))
    return void logger.warn({ provider: job.provider }, "a token can't be revoked: its key or its provider is gone");
  const { client_id, token } = JSON.parse(text) as Held;
  const done = await ask(job.provider, "revocation_endpoint", { client_id, token, token_type_hint: "refresh_token" });
  if (!done) throw new Error(`${job.provider} didn't accept the revocation of a token`);
}

/** Posts a form to a provider. Returns undefined when it refuses. @throws Error when it can't be reached now */
async function ask(
  name: string,
  endpoint: "token_endpoint" | "revocation_endpoint",
  form: { readonly client_id: string } & Readonly<Record<string, string>>,
): Promise<Response | undefined> {
  const provider = providerWithSecret(name);
  if (!provider) return undefined;
  const body = new URLSearchParams({ ...form, client_secret: await clientSecret(name, form.client_id) });
  try {
    return await boundedFetch(await provider.keys.endpoint(endpoint), { method: "POST", body });
  } catch (error) {
    if (error instanceof ProviderError && error.status < 500 && error.status !== 429) return undefined;
    throw error;
  }
}

const secretSeconds = 300;

/** Returns a client secret as Apple wants it: a token that the developer's key has signed. */
async function clientSecret(name: string, clientId: string): Promise<string> {
  const { issuer, secret } = providerWithSecret(name)!;
  const now = Math.floor(clock.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: secret.keyId })
    .setIssuer(secret.teamId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt(now)
    .setExpirationTime(now + secretSeconds)
    .sign(createPrivateKey(secret.privateKey));
}
