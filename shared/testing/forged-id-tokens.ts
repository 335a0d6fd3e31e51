import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { FakeOpenId, TokenChanges } from "./fakes/fake-openid.ts";

/** A token that must not be accepted, and the nonce that is sent with it. */
export interface Forgery {
  readonly what: string;
  readonly id_token: string;
  readonly nonce: string;
}

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** The values that a claim must not have, by claim; the tokens are signed by the provider's own key. */
function wrongClaims(issuer: string, audience: string, nonce: string): Record<string, readonly unknown[]> {
  const now = Math.floor(clock.now() / 1000);
  const hash = (kind: string, digits: "hex" | "base64url") => createHash(kind).update(nonce).digest(digits);
  return {
    aud: [
      ...[undefined, null, "", 7, true, {}, [], ["stranger"], [[audience]], { 0: audience }, "stranger", "*"],
      ...[`${audience} `, ` ${audience}`, `${audience},x`, `${audience}2`, audience.slice(1), audience.toUpperCase()],
      [audience, "stranger"],
    ],
    iss: [
      ...[undefined, null, "", 7, {}, [], [issuer, "x"], "https://accounts.google.com", "https://appleid.apple.com"],
      ...[`${issuer}/`, `${issuer}#`, `${issuer}?`, `${issuer}.example`, ` ${issuer}`, issuer.toUpperCase()],
      ...[issuer.replace("http:", "https:"), issuer.replace("//", "//a@"), issuer.replace("127.0.0.1", "localhost")],
    ],
    exp: [now - 1, now, now - 3600, 0, -1, 1e300, now + 366 * 86_400, undefined, null, true, "soon", [now + 600], {}],
    iat: [now + 6, now + 60, now + 86_400, now * 1000, undefined, null, true, `${now}`, [now], {}],
    nbf: [now + 60, now * 1000, null, true, `${now}`, [now]],
    nonce: [
      ...[undefined, null, "", 7, true, {}, [nonce], newId(), `${nonce} `, nonce.slice(1), nonce.toUpperCase()],
      ...[hash("sha256", "base64url"), hash("sha256", "hex").toUpperCase(), hash("sha1", "hex"), hash("md5", "hex")],
      createHash("sha256").update(hash("sha256", "hex")).digest("hex"),
    ],
    sub: [undefined, null, "", 7, true, {}, ["ada"], "x".repeat(256)],
    email: [7, true, null, {}, ["ada@example.com"]],
  };
}

/** Headers by which a forger brings a key, or confuses how it is found. */
async function wrongHeaders(provider: FakeOpenId): Promise<readonly [string, TokenChanges][]> {
  const own = await generateKeyPair("RS256", { extractable: true });
  const elliptic = await generateKeyPair("ES256", { extractable: true });
  const edwards = await generateKeyPair("EdDSA", { extractable: true });
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "own", alg: "RS256", use: "sig" };
  const pem = await exportSPKI(provider.publicKey);
  const published = await exportJWK(provider.publicKey);
  const weak = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const secrets = [pem, pem.trim(), pem.replaceAll("\n", ""), JSON.stringify(published), published.n!, published.kty!];
  const kids = ["", "../../etc/passwd", "' OR '1'='1", "__proto__", "constructor", "0", "null", "x".repeat(2000)];
  const own2 = (name: string, header: object): [string, TokenChanges] => [name, { key: own.privateKey, header }];
  return [
    own2("a key of another provider under the provider's name", {}),
    own2("a key in the header", { jwk }),
    own2("a key in the header, named by it", { jwk, kid: "own" }),
    own2("the address of own keys", { jku: "http://127.0.0.1:9/keys", kid: "own" }),
    own2("a certificate's address", { x5u: "http://127.0.0.1:9/cert", kid: "own" }),
    own2("a certificate", { x5c: ["MIIB"], kid: "own" }),
    own2("the hash of a certificate", { x5t: "AAAA", kid: undefined }),
    own2("no name of a key", { kid: undefined }),
    ["another key of the right kind", { key: weak as KeyObject & Uint8Array }],
    ["an elliptic key", { header: { alg: "ES256" }, key: elliptic.privateKey }],
    ["an Edwards key", { header: { alg: "EdDSA" }, key: edwards.privateKey }],
    ["the right key with another algorithm", { header: { alg: "RS256", crit: ["x"], x: 1 } as object }],
    ...kids.map((kid) => own2(`the key's name ${kid.slice(0, 20)}`, { kid })),
    ...["HS256", "HS384", "HS512"].flatMap((alg) =>
      secrets.map((secret, at): [string, TokenChanges] => [
        `${alg} with the public key, form ${at}`,
        // A secret shorter than the hash isn't taken to sign with.
        { header: { alg }, key: Buffer.from(secret.padEnd(64, "\0")) },
      ]),
    ),
  ];
}

/** Tokens that are made of a right one by cutting and swapping. */
function wrongShapes(good: string): readonly [string, string][] {
  const [header, payload, signature] = good.split(".") as [string, string, string];
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
  const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
  const none = ["none", "None", "NONE", "nOnE", "", null, 0, [], ["none"], "RS256 ", "rs256", "RSA-OAEP", "dir"];
  const edits = {
    sub: "admin",
    email: "admin@example.com",
    exp: 9_999_999_999,
    aud: "stranger",
    azp: "x",
    admin: true,
  };
  const swaps = Array.from({ length: 20 }, (_, at) => Math.floor(((at + 0.5) * good.length) / 20));
  return [
    ...none.flatMap((alg): [string, string][] => [
      [`the algorithm ${JSON.stringify(alg)}, unsigned`, `${encoded({ alg })}.${payload}.`],
      [`the algorithm ${JSON.stringify(alg)}, with a signature`, `${encoded({ alg, kid })}.${payload}.${signature}`],
    ]),
    ...Object.entries(edits).map(([claim, value]): [string, string] => [
      `${claim} changed after signing`,
      `${header}.${encoded({ ...claims, [claim]: value })}.${signature}`,
    ]),
    ...swaps
      .filter((at) => good[at] !== ".")
      .map((at): [string, string] => [
        `altered at ${at}`,
        `${good.slice(0, at)}${good[at] === "A" ? "B" : "A"}${good.slice(at + 1)}`,
      ]),
    ["no signature", `${header}.${payload}.`],
    ["two parts", `${header}.${payload}`],
    ["four parts", `${good}.${signature}`],
    ["five parts, as if encrypted", `${encoded({ alg: "dir", enc: "A256GCM" })}..${payload}.${payload}.${signature}`],
    ["payload and header exchanged", `${payload}.${header}.${signature}`],
    ["half a signature", good.slice(0, -100)],
    ["a signature twice as long", `${good}${signature}`],
    ["an unencoded payload", `${encoded({ alg: "RS256", kid, b64: false, crit: ["b64"] })}.${payload}.${signature}`],
    ["a payload that is a list", `${header}.${encoded([claims])}.${signature}`],
    ["a payload that is null", `${header}.${encoded(null)}.${signature}`],
    ["a payload that is no JSON", `${header}.${encoded("{")}.${signature}`],
    ["a header that is no JSON", `${encoded("{")}.${payload}.${signature}`],
    ["a deep header", `${encoded(`${"[".repeat(4000)}${"]".repeat(200)}`)}.${payload}.x`],
    ["a deep payload", `${header}.${encoded(`${"[".repeat(2500)}${"]".repeat(2500)}`)}.x`],
    ["8 KB of nothing", "x".repeat(8192)],
    ["8 KB of dots", ".".repeat(8192)],
    ["a megabyte", `${header}.${"A".repeat(1_000_000)}.${signature}`],
  ];
}

/**
 * Returns more than 200 tokens that a forger could send, each wrong in one way. Some are of the near future, and so are
 * wrong only while the clock is stopped. `right`: the claims that a right token has besides a login's, or instead.
 */
export async function forgedIdTokens(
  provider: FakeOpenId,
  right: Readonly<Record<string, unknown>> & { readonly aud?: string } = {},
): Promise<Forgery[]> {
  const forged: Forgery[] = [];
  const sign = async (what: string, changes: TokenChanges, nonce = newId()) => {
    const claims = { ...right, ...changes.claims };
    forged.push({ what, nonce, id_token: await tokenWith(provider, nonce, { ...changes, claims }) });
  };
  const nonce = newId();
  const wrong = wrongClaims(provider.issuer, right.aud ?? provider.clientId, nonce);
  for (const [claim, values] of Object.entries(wrong))
    for (const value of values) await sign(`${claim} ${describe(value)}`, { claims: { [claim]: value } }, nonce);
  for (const [what, changes] of await wrongHeaders(provider)) await sign(what, changes);
  const good = await provider.token(newId(), nonce, { claims: right });
  for (const [what, id_token] of wrongShapes(good)) forged.push({ what, id_token, nonce });
  return forged;
}

const describe = (value: unknown): string => (JSON.stringify(value) ?? "absent").slice(0, 60);

/** Returns a token, also one whose header the provider's library wouldn't sign. */
async function tokenWith(provider: FakeOpenId, nonce: string, changes: TokenChanges): Promise<string> {
  if (!changes.header || !("crit" in changes.header)) return provider.token(newId(), nonce, changes);
  const good = await provider.token(newId(), nonce, changes.claims && { claims: changes.claims });
  const key = (await generateKeyPair("RS256")).privateKey;
  const { iss, aud } = { iss: provider.issuer, aud: provider.clientId };
  const header = { ...changes.header, alg: "RS256" } as never;
  const signed = await new SignJWT({ iss, aud }).setProtectedHeader(header).sign(key, { crit: { x: true } });
  return [signed.split(".")[0], ...good.split(".").slice(1)].join(".");
}
