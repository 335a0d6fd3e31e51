import { importPKCS8, SignJWT } from "jose";
import { clock, secondsMs } from "#shared/kernel/clock.ts";

/** A service account of Google, and the scope of its tokens. */
export interface GoogleAccount {
  readonly clientEmail: string;
  /** PKCS #8 PEM of an RSA key. */
  readonly privateKey: string;
  readonly tokenUrl: string;
  readonly scope: string;
}

/** How long before its expiry a token is no longer used. */
const marginMs = secondsMs(60);
const assertionSeconds = 3600;
const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Access tokens of a service account (RFC 7523), each cached while it is valid; concurrent callers share one request.
 */
export class GoogleToken {
  readonly #account: GoogleAccount;
  readonly #timeoutMs: number;
  #current: Promise<{ token: string; endsMs: number }> | undefined;

  constructor(account: GoogleAccount, timeoutMs: number) {
    this.#account = account;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns a valid token. @throws Error when Google issues none */
  async get(): Promise<string> {
    this.#current ??= this.#ask();
    const asked = this.#current;
    try {
      const { token, endsMs } = await asked;
      if (endsMs > clock.now()) return token;
    } catch (error) {
      this.#forget(asked);
      throw error;
    }
    this.#forget(asked);
    return this.get();
  }

  /** Drops a rejected token: the next call requests another. */
  drop(): void {
    this.#current = undefined;
  }

  #forget(asked: Promise<unknown>): void {
    if (this.#current === asked) this.#current = undefined;
  }

  async #ask(): Promise<{ token: string; endsMs: number }> {
    const { tokenUrl } = this.#account;
    const askedMs = clock.now();
    const response = await fetch(tokenUrl, {
      method: "POST",
      body: new URLSearchParams({ grant_type: grantType, assertion: await this.#assertion(askedMs) }),
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    if (!response.ok) throw new Error(`no access token of Google: ${tokenUrl} responded ${response.status}`);
    const { access_token, expires_in } = (await response.json()) as { access_token?: unknown; expires_in?: unknown };
    if (typeof access_token !== "string" || typeof expires_in !== "number")
      throw new Error(`no access token of Google: ${tokenUrl} sent an invalid response`);
    return { token: access_token, endsMs: askedMs + secondsMs(expires_in) - marginMs };
  }

  async #assertion(nowMs: number): Promise<string> {
    const { clientEmail, privateKey, tokenUrl, scope } = this.#account;
    const now = Math.floor(nowMs / 1000);
    return new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(clientEmail)
      .setAudience(tokenUrl)
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(await importPKCS8(privateKey, "RS256"));
  }
}
