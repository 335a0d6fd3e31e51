import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

/** How the provider answers requests for its documents. */
export type Mood =
  | "right"
  | "slow"
  | "slow keys"
  | "redirects"
  | "huge"
  | "endless"
  | "no json"
  | "fails"
  | "other issuer"
  | "keys elsewhere"
  | "no keys";

/** What a test changes about a token. A claim that is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: CryptoKey | Uint8Array;
}

/** An OpenID provider on loopback: a discovery document, a key set, and ID tokens. */
export class FakeOpenId {
  readonly clientId = "hubbub-tests";
  readonly url: string;
  readonly issuer: string;
  mood: Mood = "right";
  /** The paths of all requests, in order. */
  readonly asked: string[] = [];
  /** The forms that the token and the revocation endpoint received, in order. */
  readonly exchanged: URLSearchParams[] = [];
  readonly revoked: URLSearchParams[] = [];
  #keys: { kid: string; privateKey: CryptoKey; publicKey: CryptoKey }[] = [];
  readonly #close: () => void;

  /** `issuer`: whom it speaks for, if not for itself. */
  static async start(issuer?: string): Promise<FakeOpenId> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = () => {
      server.close();
      server.closeAllConnections();
    };
    const fake = new FakeOpenId(url, issuer ?? url, stop);
    server.on("request", (req, res) => void fake.#answer(req, res));
    await fake.rotate();
    return fake;
  }

  private constructor(url: string, issuer: string, close: () => void) {
    this.url = url;
    this.issuer = issuer;
    this.#close = close;
  }

  stop(): void {
    this.#close();
  }

  /** Signs with a new key from now on, and publishes no other. */
  async rotate(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    this.#keys = [{ kid: newId(), privateKey, publicKey }];
  }

  get publicKey(): CryptoKey {
    return this.#keys[0]!.publicKey;
  }

  /** Returns an ID token of a person. */
  async token(subject: string, nonce: string, { claims = {}, header = {}, key }: TokenChanges = {}): Promise<string> {
    const { kid, privateKey } = this.#keys[0]!;
    const now = Math.floor(clock.now() / 1000);
    const payload = { iss: this.issuer, aud: this.clientId, sub: subject, iat: now, exp: now + 600, nonce, ...claims };
    const present = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
    return new SignJWT(present as JWTPayload)
      .setProtectedHeader({ alg: "RS256", kid, ...header })
      .sign(key ?? privateKey);
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url!;
    this.asked.push(path);
    if (this.mood === "slow" || (this.mood === "slow keys" && path === "/keys")) return;
    // Headers and a first byte come at once, and then nothing.
    if (this.mood === "endless") return void res.write("{");
    if (this.mood === "redirects") return void res.writeHead(302, { location: `${this.url}/elsewhere` }).end();
    if (this.mood === "fails") return void res.writeHead(500).end();
    if (this.mood === "no json") return void res.end("<html>");
    if (req.method === "POST") return this.#serve(path, new URLSearchParams(await text(req)), res);
    const keys = this.mood === "no keys" ? [] : await this.#publicKeys();
    const document = path.endsWith("/openid-configuration")
      ? {
          issuer: this.mood === "other issuer" ? "https://else.example" : this.issuer,
          jwks_uri: this.mood === "keys elsewhere" ? "http://example.com/keys" : `${this.url}/keys`,
          token_endpoint: `${this.url}/token`,
          revocation_endpoint: `${this.url}/revoke`,
        }
      : { keys };
    const padding = this.mood === "huge" ? { padding: "x".repeat(1_000_000) } : {};
    res.setHeader("content-type", "application/json").end(JSON.stringify({ ...document, ...padding }));
  }

  /** A code that begins with `bad` isn't accepted. */
  #serve(path: string, form: URLSearchParams, res: ServerResponse): void {
    (path === "/token" ? this.exchanged : this.revoked).push(form);
    if (form.get("code")?.startsWith("bad")) return void res.writeHead(400).end('{"error":"invalid_grant"}');
    const tokens = { access_token: newId(), refresh_token: `r.${form.get("code")}`, token_type: "Bearer" };
    res.setHeader("content-type", "application/json").end(path === "/token" ? JSON.stringify(tokens) : "{}");
  }

  #publicKeys() {
    return Promise.all(
      this.#keys.map(async ({ kid, publicKey }) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg: "RS256",
        use: "sig",
      })),
    );
  }
}

/** Starts a provider for the tests of the current `describe`. */
export function useOpenId(): { readonly provider: FakeOpenId } {
  const scene: { provider: FakeOpenId } = { provider: undefined! };
  before("starts the provider", async () => {
    scene.provider = await FakeOpenId.start();
  });
  after(() => scene.provider.stop());
  return scene;
}
