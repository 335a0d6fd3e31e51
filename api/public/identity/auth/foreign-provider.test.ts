import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useService } from "#shared/testing/service.ts";

const clientId = "listening-app";
const redirectUri = "https://app.example.com/callback";

/** The whole of a provider, as others run it: discovery, keys, the authorization code flow with PKCE. */
describe("a foreign OpenID provider", () => {
  const service = useService();
  let server: Server;
  let issuer: string;
  before("starts the provider", async () => {
    server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const provider = new Provider(issuer, {
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: "one", alg: "RS256", use: "sig" }] },
      clients: [
        {
          client_id: clientId,
          token_endpoint_auth_method: "none",
          redirect_uris: [redirectUri],
          response_types: ["code"],
          grant_types: ["authorization_code"],
        },
      ],
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
      cookies: { keys: [newId()] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: false,
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: "Grace Hopper" }),
      }),
    });
    server.on("request", provider.callback());
    configureOpenId([{ name: "line", issuer, clientIds: [clientId] }]);
  });
  after(() => {
    configureOpenId([]);
    server.close();
    server.closeAllConnections();
  });

  /** A browser's part: follows redirects with cookies, and fills in the provider's forms. Returns the app's code. */
  async function authorize(url: URL, login: string): Promise<string> {
    const cookies = new Map<string, string>();
    let at = url;
    let form: URLSearchParams | undefined;
    for (let steps = 0; steps < 12; steps += 1) {
      const response = await fetch(at, {
        redirect: "manual",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
        ...(form && { method: "POST", body: form }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        cookies.set(name!, value!);
      }
      const location = response.headers.get("location");
      const page = await response.text();
      form = undefined;
      if (location?.startsWith(redirectUri)) return new URL(location).searchParams.get("code") ?? location;
      if (location) at = new URL(location, at);
      else {
        const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? [];
        const [, prompt] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
        if (!action || !prompt) throw new Error(`no form at ${at}: ${page}`);
        at = new URL(action, at);
        form = new URLSearchParams({ prompt, login, password: "any" });
      }
    }
    throw new Error("too many steps");
  }

  /** An app's part: gets a code, and redeems it by PKCE. */
  async function codeOf(login: string, nonce: string, verifier = randomBytes(32).toString("base64url")) {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`);
    const discovered = (await response.json()) as { authorization_endpoint: string; token_endpoint: string };
    const url = new URL(discovered.authorization_endpoint);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    url.search = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: redirectUri, response_type: "code", scope: "openid email profile" },
      ...{ nonce, code_challenge: challenge, code_challenge_method: "S256", state: newId() },
    }).toString();
    const code = await authorize(url, login);
    const redeem = (code_verifier: string) =>
      fetch(discovered.token_endpoint, {
        method: "POST",
        body: new URLSearchParams({
          ...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri },
          ...{ code, code_verifier },
        }),
      });
    return { redeem, verifier };
  }

  async function signIn(login: string) {
    const nonce = newId();
    const { redeem, verifier } = await codeOf(login, nonce);
    const { id_token } = (await (await redeem(verifier)).json()) as { id_token: string };
    return { nonce, id_token };
  }
  const post = (body: object) => service.call("post", "/auth/oidc/line", { body });

  it("registers and logs in by its ID tokens", async () => {
    const login = `grace-${newId()}`;
    const { body } = await post(await signIn(login));
    expect(body.data).to.include({ is_new: true });
    expect(body.data.user).to.include({
      email: `${login}@example.com`,
      email_verified: true,
      full_name: "Grace Hopper",
    });
    const again = await post(await signIn(login));
    expect(again.body.data.user.id).to.equal(body.data.user.id);
    expect(again.body.data).to.include({ is_new: false });
  });

  it("redeems a code only with the verifier of its request", async () => {
    const { redeem } = await codeOf(`ada-${newId()}`, newId());
    expect((await redeem(randomBytes(32).toString("base64url"))).status).to.equal(400);
  });

  it("accepts no ID token with another nonce, nor twice", async () => {
    const proof = await signIn(`ada-${newId()}`);
    expect((await post({ ...proof, nonce: newId() })).body.error.code).to.equal("INVALID_CREDENTIALS");
    expect((await post(proof)).status).to.equal(200);
    expect((await post(proof)).body.error.code).to.equal("INVALID_CREDENTIALS");
  });
});
