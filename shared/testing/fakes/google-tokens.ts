import { generateKeyPairSync } from "node:crypto";
import { importSPKI, jwtVerify } from "jose";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

/** A response of Google's: its status and its JSON. */
export type GoogleAnswer = readonly [status: number, body: object];

/** The token endpoint of a fake Google server: issues access tokens to one service account, for signed assertions. */
export class FakeGoogleTokens {
  readonly account;
  given = 0;
  /** Lifetime of access tokens. */
  lifeSeconds = 3600;
  readonly #scope: string;
  readonly #accessTokens = new Set<string>();
  #failures = 0;

  constructor(baseUrl: string, clientEmail: string, scope: string) {
    this.account = { clientEmail, privateKey, tokenUrl: `${baseUrl}/token` };
    this.#scope = scope;
  }

  /** The key file of the service account. */
  keyFile(project_id: string): object {
    const { clientEmail: client_email, tokenUrl: token_uri } = this.account;
    return { type: "service_account", project_id, client_email, private_key: privateKey, token_uri };
  }

  /** Lets the next requests for an access token fail. */
  fail(times: number): void {
    this.#failures = times;
  }

  /** Revokes all issued access tokens. */
  revokeAll(): void {
    this.#accessTokens.clear();
  }

  /** Returns whether a header carries a valid token. */
  authorizes(header: string | undefined): boolean {
    return this.#accessTokens.has((header ?? "").replace("Bearer ", ""));
  }

  async give(form: URLSearchParams): Promise<GoogleAnswer> {
    if (this.#failures > 0) {
      this.#failures -= 1;
      return [503, { error: "temporarily_unavailable" }];
    }
    try {
      if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") throw new Error("grant_type");
      const { payload } = await jwtVerify(form.get("assertion") ?? "", await importSPKI(publicKey, "RS256"), {
        issuer: this.account.clientEmail,
        audience: this.account.tokenUrl,
        maxTokenAge: "1 hour",
        // Clocks of processes may be off.
        clockTolerance: "10 minutes",
        currentDate: new Date(clock.now()),
      });
      if (payload.scope !== this.#scope) throw new Error("scope");
    } catch (error) {
      return [400, { error: "invalid_grant", error_description: String(error) }];
    }
    this.given += 1;
    const access_token = newId();
    this.#accessTokens.add(access_token);
    return [200, { access_token, expires_in: this.lifeSeconds, token_type: "Bearer" }];
  }
}
