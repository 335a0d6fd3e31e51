import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

/** How the provider answers requests for its documents. */
export type Mood = "right" | "slow" | "redirects" | "huge" | "no json" | "fails" | "other issuer" | "no keys";

/** What a test changes about a token. A claim that is undefined is left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly key?: CryptoKey | Uint8Array;
}

/** An OpenID provider on loopback: a discovery document, a key set, and ID tokens. */
export class FakeOpenId {
  readonly clientId = "hubbub-tests";
  readonly issuer: string;
  mood: Mood = "right";
  /** The paths of all requests, in order. */
  readonly asked: string[] = [];
  #keys: { kid: string; privateKey: CryptoKey; publicKey: CryptoKey }[] = [];
  readonly #close: () => void;

  static async start(): Promise<FakeOpenId> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fake = new FakeOpenId(url, () => {
      server.close();
      server.closeAllConnections();
    });
    server.on("request", (req, res) => void fake.#answer(req.url!, res));
    await fake.rotate();
    return fake;
  }

  private constructor(url: string, close: () => void) {
    this.issuer = url;
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

  async #answer(path: string, res: ServerResponse): Promise<void> {
    this.asked.push(path);
    if (this.mood === "slow") return;
    if (this.mood === "redirects") return void res.writeHead(302, { location: `${this.issuer}/elsewhere` }).end();
    if (this.mood === "fails") return void res.writeHead(500).end();
    if (this.mood === "no json") return void res.end("<html>");
    const keys = this.mood === "no keys" ? [] : await this.#publicKeys();
    const document = path.endsWith("/openid-configuration")
      ? { issuer: this.mood === "other issuer" ? "https://else.example" : this.issuer, jwks_uri: `${this.issuer}/keys` }
      : { keys };
    const padding = this.mood === "huge" ? { padding: "x".repeat(1_000_000) } : {};
    res.setHeader("content-type", "application/json").end(JSON.stringify({ ...document, ...padding }));
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
