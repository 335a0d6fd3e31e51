import { createHmac, generateKeyPairSync } from "node:crypto";
import jwt from "jsonwebtoken";
import { newId } from "#shared/kernel/ids.ts";
import { testSecret } from "./access-tokens.ts";

const otherSecret = "another secret that is long enough to be one";
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Builds a token manually, as an attacker could. */
function forge(header: object, claims: object, secret = ""): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${secret ? createHmac("sha256", secret).update(body).digest("base64url") : ""}`;
}

const sign = (claims: object, secret: jwt.Secret = testSecret, options: jwt.SignOptions = {}): string =>
  jwt.sign(claims, secret, { expiresIn: 900, ...options });

/** Returns an expired access token of a session. */
export const expiredToken = (userId: string, sessionId: string, secret = testSecret): string =>
  sign({ sub: userId, sid: sessionId, typ: "access", iss: "hubbub", aud: "user" }, secret, { expiresIn: -1 });

/** Returns invalid tokens that resemble an access token of this session, each with its defect. */
export function forgedTokens(userId: string, sessionId: string): [wrong: string, token: string][] {
  const good = { sub: userId, sid: sessionId, typ: "access", iss: "hubbub", aud: "user" };
  const now = Math.floor(Date.now() / 1000);
  const exp = now + 900;
  return [
    ["no algorithm", forge({ alg: "none", typ: "JWT" }, { ...good, exp })],
    ["no algorithm, in capitals", forge({ alg: "nOnE", typ: "JWT" }, { ...good, exp })],
    ["a stripped signature", `${sign(good).split(".").slice(0, 2).join(".")}.`],
    ["another secret", sign(good, otherSecret)],
    ["another secret, and past its time", expiredToken(userId, sessionId, otherSecret)],
    ["a secret of one NUL", forge({ alg: "HS256" }, { ...good, exp }, "\u0000")],
    ["a key named in its own header", forge({ alg: "HS256", kid: "../../dev/null" }, { ...good, exp }, "\u0000")],
    ["HS512", sign(good, testSecret, { algorithm: "HS512" })],
    ["RS256", sign(good, privateKey, { algorithm: "RS256" })],
    ["RS256 in the header and HS256 in the signature", forge({ alg: "RS256" }, { ...good, exp }, testSecret)],
    ["an admin's audience", sign({ ...good, aud: "admin" })],
    ["no audience", sign({ ...good, aud: undefined })],
    ["another issuer", sign({ ...good, iss: "someone" })],
    ["no issuer", sign({ ...good, iss: undefined })],
    ["another kind", sign({ ...good, typ: "refresh" })],
    ["no kind", sign({ ...good, typ: undefined })],
    ["no expiry", jwt.sign(good, testSecret)],
    ["a subject that is no id", sign({ ...good, sub: "ada" })],
    ["no session", sign({ ...good, sid: undefined })],
    ["a session that is an object", sign({ ...good, sid: { $ne: newId() } })],
    ["a beginning to come", sign({ ...good, nbf: now + 600 })],
    ["a changed payload", sign(good).replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"x"}').toString("base64url")}.`)],
    ["rubbish", "a.b.c"],
  ];
}
