import { expect } from "chai";
import { newId } from "#shared/kernel/ids.ts";
import "#shared/testing/access/access-tokens.ts";
import { expiredToken, forgedTokens } from "#shared/testing/access/forged-tokens.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { assertCallerActive, configureAccessTokens, issueAccessToken, verifyAccessToken } from "./access-token.ts";
import { noteRevokedSessions, noteSuspendedUser } from "./revocations.ts";

const codeOf = async (work: () => unknown) => {
  try {
    await work();
    return "accepted";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
};

const userId = newId();
const sessionId = newId();
describe("access tokens", () => {
  const clock = useClock();

  it("identify the caller for 15 minutes", async () => {
    const before = Date.now();
    const caller = await verifyAccessToken(issueAccessToken(userId, sessionId));
    expect(caller).to.include({ userId, sessionId });
    expect(caller.expiresAtMs - before).to.be.within(898_000, 901_000);
  });

  for (const [wrong, token] of [...forgedTokens(userId, sessionId), ["nothing in it", ""] as const])
    it(`are refused with ${wrong}`, async () =>
      expect(await codeOf(() => verifyAccessToken(token))).to.equal("UNAUTHENTICATED"));

  it("expire", async () =>
    expect(await codeOf(() => verifyAccessToken(expiredToken(userId, sessionId)))).to.equal("TOKEN_EXPIRED"));

  it("end with their session or the suspension of their account", async () => {
    const [ended, suspended] = [newId(), newId()];
    noteRevokedSessions([ended]);
    noteSuspendedUser(suspended);
    expect(await codeOf(() => verifyAccessToken(issueAccessToken(userId, ended)))).to.equal("UNAUTHENTICATED");
    expect(await codeOf(() => verifyAccessToken(issueAccessToken(suspended, newId())))).to.equal("ACCOUNT_SUSPENDED");
    expect(await codeOf(() => verifyAccessToken(issueAccessToken(userId, newId())))).to.equal("accepted");
  });

  it("are valid for an open connection as long as for a call", async () => {
    const session = newId();
    const caller = await verifyAccessToken(issueAccessToken(userId, session));
    expect(await codeOf(() => assertCallerActive(caller))).to.equal("accepted");
    clock.forward(901_000);
    expect(await codeOf(() => assertCallerActive(caller))).to.equal("TOKEN_EXPIRED");
    noteRevokedSessions([session]);
    expect(await codeOf(() => assertCallerActive(caller))).to.equal("UNAUTHENTICATED");
  });

  it("need a secret of 32 characters", async () => {
    expect(() => configureAccessTokens("short")).to.throw(/32 characters/);
  });
});
