import { createHmac, generateKeyPairSync } from "node:crypto";
import { expect } from "chai";
import jwt from "jsonwebtoken";
import { newId } from "#shared/kernel/ids.ts";
import { testSecret } from "#shared/testing/access-tokens.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { callerStands, configureAccessTokens, issueAccessToken, verifyAccessToken } from "./access-token.ts";
import { noteRevokedSessions, noteSuspendedUser } from "./revocations.ts";

const codeOf = (work: () => unknown) => {
  try {
    work();
    return "accepted";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

const userId = newId();
const sessionId = newId();
const good = { sub: userId, sid: sessionId, typ: "access", iss: "hubbub", aud: "user" };
const sign = (claims: object, secret: jwt.Secret = testSecret, options: jwt.SignOptions = {}) =>
  jwt.sign(claims, secret, { expiresIn: 900, ...options });

/** Puts a token together by hand, as an attacker may. */
function forge(header: object, claims: object, secret = ""): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const body = `${part(header)}.${part(claims)}`;
  return `${body}.${secret ? createHmac("sha256", secret).update(body).digest("base64url") : ""}`;
}

describe("access tokens", () => {
  const clock = useClock();

  it("say who is calling, for 15 minutes", () => {
    const before = Date.now();
    const caller = verifyAccessToken(issueAccessToken(userId, sessionId));
    expect(caller).to.include({ userId, sessionId });
    expect(caller.expiresAtMs - before).to.be.within(898_000, 901_000);
  });

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const exp = Math.floor(Date.now() / 1000) + 900;
  const now = exp - 900;
  for (const [why, token] of [
    ["no algorithm", forge({ alg: "none", typ: "JWT" }, { ...good, exp })],
    ["no algorithm, capitals", forge({ alg: "nOnE", typ: "JWT" }, { ...good, exp })],
    ["a stripped signature", `${sign(good).split(".").slice(0, 2).join(".")}.`],
    ["another secret", sign(good, "another secret that is long enough to be one")],
    ["an empty secret", forge({ alg: "HS256" }, { ...good, exp }, "\u0000")],
    ["HS512", sign(good, testSecret, { algorithm: "HS512" })],
    ["RS256", sign(good, privateKey, { algorithm: "RS256" })],
    ["RS256 in the header, HS256 in the signature", forge({ alg: "RS256" }, { ...good, exp }, testSecret)],
    ["an admin's audience", sign({ ...good, aud: "admin" })],
    ["no audience", sign({ ...good, aud: undefined })],
    ["another issuer", sign({ ...good, iss: "someone" })],
    ["no issuer", sign({ ...good, iss: undefined })],
    ["another kind of token", sign({ ...good, typ: "refresh" })],
    ["no kind", sign({ ...good, typ: undefined })],
    ["no expiry", jwt.sign(good, testSecret)],
    ["a subject that is no id", sign({ ...good, sub: "ada" })],
    ["no session", sign({ ...good, sid: undefined })],
    ["a session that is an object", sign({ ...good, sid: { $ne: 1 } })],
    ["a time to come", sign({ ...good, nbf: now + 600 })],
    ["a changed payload", sign(good).replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"x"}').toString("base64url")}.`)],
    ["rubbish", "a.b.c"],
    ["nothing", ""],
  ] as const)
    it(`are refused with ${why}`, () => expect(codeOf(() => verifyAccessToken(token))).to.equal("UNAUTHENTICATED"));

  it("expire", () => {
    expect(codeOf(() => verifyAccessToken(sign(good, testSecret, { expiresIn: -1 })))).to.equal("TOKEN_EXPIRED");
    // Expired and of another secret: only what is proved is told.
    const forged = sign(good, "another secret that is long enough to be one", { expiresIn: -1 });
    expect(codeOf(() => verifyAccessToken(forged))).to.equal("UNAUTHENTICATED");
  });

  it("end with their session, and say so when the account is suspended", () => {
    const [ended, suspended] = [newId(), newId()];
    noteRevokedSessions([ended]);
    noteSuspendedUser(suspended);
    expect(codeOf(() => verifyAccessToken(issueAccessToken(userId, ended)))).to.equal("UNAUTHENTICATED");
    expect(codeOf(() => verifyAccessToken(issueAccessToken(suspended, newId())))).to.equal("ACCOUNT_SUSPENDED");
    expect(codeOf(() => verifyAccessToken(issueAccessToken(userId, newId())))).to.equal("accepted");
  });

  it("hold for an open connection as long as they would for a call", () => {
    const session = newId();
    const caller = verifyAccessToken(issueAccessToken(userId, session));
    expect(codeOf(() => callerStands(caller))).to.equal("accepted");
    clock.forward(901_000);
    expect(codeOf(() => callerStands(caller))).to.equal("TOKEN_EXPIRED");
    noteRevokedSessions([session]);
    expect(codeOf(() => callerStands(caller))).to.equal("UNAUTHENTICATED");
  });

  it("are signed with a secret of some length", () => {
    expect(() => configureAccessTokens("short")).to.throw(/32 characters/);
  });
});
