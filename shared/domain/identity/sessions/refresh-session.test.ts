import { expect } from "chai";
import fc from "fast-check";
import { query, queryOne } from "#shared/db/query.ts";
import { testSecret } from "#shared/testing/access/access-tokens.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { configureAccessTokens, verifyAccessToken } from "./access-token.ts";
import { endSession } from "./end-session.ts";
import { pruneSessions } from "./prune-sessions.ts";
import { refreshSession } from "./refresh-session.ts";
import { hashRefreshToken, newRefreshToken } from "./refresh-token.ts";

const codeOf = (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => "done",
      (error: { code?: string }) => error.code ?? String(error),
    );

/** As if the token had been used 11 s ago. */
const ageUse = (token: string) =>
  query("UPDATE refresh_tokens SET used_at = used_at - interval '11 seconds' WHERE token_hash = $1", [
    hashRefreshToken(token),
  ]);

const sessionOf = ({ sessionId }: BuiltUser) =>
  queryOne<{ revoked_reason: string | null }>("SELECT revoked_reason FROM sessions WHERE id = $1", [sessionId]);

describe("refreshSession", () => {
  useDatabase();

  it("trades a token for the next, in the same session", async () => {
    const ada = await buildUser();
    const first = await refreshSession(ada.refreshToken);
    const second = await refreshSession(first.refreshToken);
    expect(new Set([ada.refreshToken, first.refreshToken, second.refreshToken])).to.have.property("size", 3);
    expect(await verifyAccessToken(second.accessToken)).to.include({ userId: ada.id, sessionId: ada.sessionId });
  });

  it("goes on after the signing key was replaced, with new access tokens", async () => {
    const ada = await buildUser();
    try {
      configureAccessTokens("a key that replaces that of the tests");

      expect(await codeOf(() => verifyAccessToken(ada.token))).to.equal("UNAUTHENTICATED");
      const { accessToken } = await refreshSession(ada.refreshToken);
      expect(await verifyAccessToken(accessToken)).to.include({ userId: ada.id, sessionId: ada.sessionId });
    } finally {
      configureAccessTokens(testSecret);
    }
  });

  it("gives tabs that refresh at the same moment the same successor, and keeps the user logged in", async () => {
    const ada = await buildUser();

    const tabs = await Promise.all(Array.from({ length: 20 }, () => refreshSession(ada.refreshToken)));

    const [successor, ...others] = new Set(tabs.map(({ refreshToken }) => refreshToken));
    expect(others).to.deep.equal([]);
    expect(await codeOf(() => refreshSession(successor!))).to.equal("done");
    expect(await sessionOf(ada)).to.deep.equal({ revoked_reason: null });
  });

  it("ends the session when a used token is repeated after its successor was used, however soon", async () => {
    const ada = await buildUser();
    const { refreshToken } = await refreshSession(ada.refreshToken);
    await refreshSession(refreshToken);

    expect(await codeOf(() => refreshSession(ada.refreshToken))).to.equal("REFRESH_TOKEN_INVALID");

    expect(await sessionOf(ada)).to.deep.equal({ revoked_reason: "refresh token used twice" });
  });

  it("leaves a session at most one valid token, whatever is refreshed and when", async () => {
    const race = fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(race, async (rounds) => {
        const ada = await buildUser();
        const known = [ada.refreshToken];
        for (const picks of rounds) {
          const answers = await Promise.allSettled(picks.map((pick) => refreshSession(known[pick % known.length]!)));
          for (const answer of answers) if (answer.status === "fulfilled") known.push(answer.value.refreshToken);
        }

        const living = await query(
          `SELECT 1 FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
           WHERE s.id = $1 AND s.revoked_at IS NULL AND t.used_at IS NULL AND t.expires_at > now()`,
          [ada.sessionId],
        );
        expect(living.length).to.be.at.most(1);
        const worth = await Promise.all([...new Set(known)].map((token) => codeOf(() => refreshSession(token))));
        expect(worth.filter((code) => code === "done").length).to.be.at.most(2);
      }),
      { numRuns: 25 },
    );
  });

  it("ends the session when a used token is repeated later, whichever ancestor it is", async () => {
    for (const ancestor of [0, 1]) {
      const ada = await buildUser();
      const chain = [ada.refreshToken];
      for (let step = 0; step < 2; step += 1) chain.push((await refreshSession(chain[step]!)).refreshToken);
      await ageUse(chain[ancestor]!);
      expect(await codeOf(() => refreshSession(chain[ancestor]!))).to.equal("REFRESH_TOKEN_INVALID");
      expect(await sessionOf(ada)).to.deep.equal({ revoked_reason: "refresh token used twice" });
      // The newest token is worth nothing either, and neither is the access token.
      expect(await codeOf(() => refreshSession(chain[2]!))).to.equal("REFRESH_TOKEN_INVALID");
      expect(await codeOf(() => verifyAccessToken(ada.token))).to.equal("UNAUTHENTICATED");
    }
  });

  it("does not widen the 10 seconds by using the token within them", async () => {
    const ada = await buildUser();
    await refreshSession(ada.refreshToken);
    const firstUse = () =>
      queryOne("SELECT used_at FROM refresh_tokens WHERE token_hash = $1", [hashRefreshToken(ada.refreshToken)]);
    const before = await firstUse();
    await refreshSession(ada.refreshToken);
    expect(await firstUse()).to.deep.equal(before);
  });

  it("leaves the person's other sessions alone", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    await refreshSession(ada.refreshToken);
    await ageUse(ada.refreshToken);
    await codeOf(() => refreshSession(ada.refreshToken));
    expect(await codeOf(() => refreshSession(bob.refreshToken))).to.equal("done");
  });

  it("refuses unknown and expired tokens and those of ended sessions, in the same words", async () => {
    const [expired, ended] = await Promise.all([buildUser(), buildUser()]);
    await query("UPDATE refresh_tokens SET expires_at = now() WHERE session_id = $1", [expired.sessionId]);
    await query("UPDATE sessions SET expires_at = now() WHERE id = $1", [ended.sessionId]);
    for (const token of [newRefreshToken(), "", expired.refreshToken, ended.refreshToken])
      expect(await codeOf(() => refreshSession(token))).to.equal("REFRESH_TOKEN_INVALID");
  });

  it("extends by 30 days each time, but never past the session's 90", async () => {
    const ada = await buildUser();
    const daysLeft = (token: string) =>
      queryOne<{ days: number }>(
        "SELECT round(extract(epoch FROM expires_at - now()) / 86400)::integer AS days FROM refresh_tokens WHERE token_hash = $1",
        [hashRefreshToken(token)],
      );
    const { refreshToken } = await refreshSession(ada.refreshToken);
    expect(await daysLeft(refreshToken)).to.deep.equal({ days: 30 });
    await query("UPDATE sessions SET expires_at = now() + interval '4 days' WHERE id = $1", [ada.sessionId]);
    const last = await refreshSession(refreshToken);
    expect(await daysLeft(last.refreshToken)).to.deep.equal({ days: 4 });
  });

  it("ends the session when a logout and a refresh are concurrent", async () => {
    for (let round = 0; round < 10; round += 1) {
      const ada = await buildUser();
      const [refreshed] = await Promise.allSettled([refreshSession(ada.refreshToken), endSession(ada.refreshToken)]);
      if (refreshed.status === "fulfilled")
        expect(await codeOf(() => refreshSession(refreshed.value.refreshToken))).to.equal("REFRESH_TOKEN_INVALID");
      expect(await sessionOf(ada)).to.deep.equal({ revoked_reason: "logout" });
    }
  });
});

describe("endSession", () => {
  useDatabase();

  it("ends the session of a token at once, also of a used one, and repeatedly", async () => {
    const ada = await buildUser();
    const { refreshToken } = await refreshSession(ada.refreshToken);
    await endSession(ada.refreshToken);
    expect(await codeOf(() => verifyAccessToken(ada.token))).to.equal("UNAUTHENTICATED");
    expect(await codeOf(() => refreshSession(refreshToken))).to.equal("REFRESH_TOKEN_INVALID");
    expect(await codeOf(() => endSession(ada.refreshToken))).to.equal("done");
    expect(await sessionOf(ada)).to.deep.equal({ revoked_reason: "logout" });
  });

  it("rejects invalid tokens", async () => {
    expect(await codeOf(() => endSession(newRefreshToken()))).to.equal("REFRESH_TOKEN_INVALID");
  });
});

describe("pruneSessions", () => {
  useDatabase();

  it("deletes sessions that can no longer be used, and no others", async () => {
    const [alive, old, revoked, justRevoked] = await Promise.all([buildUser(), buildUser(), buildUser(), buildUser()]);
    await query("UPDATE sessions SET expires_at = now() - interval '31 days' WHERE id = $1", [old.sessionId]);
    await query("UPDATE sessions SET revoked_at = now() - interval '31 days' WHERE id = $1", [revoked.sessionId]);
    await query("UPDATE sessions SET revoked_at = now() WHERE id = $1", [justRevoked.sessionId]);
    const rotated = await refreshSession(alive.refreshToken);
    await query("UPDATE refresh_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = $1", [
      hashRefreshToken(alive.refreshToken),
    ]);
    expect(await pruneSessions()).to.be.at.least(3);
    const left = await query<{ id: string }>("SELECT id FROM sessions WHERE id = ANY($1::uuid[])", [
      [alive, old, revoked, justRevoked].map(({ sessionId }) => sessionId),
    ]);
    expect(left.map(({ id }) => id)).to.have.members([alive.sessionId, justRevoked.sessionId]);
    expect(await codeOf(() => refreshSession(rotated.refreshToken))).to.equal("done");
  });
});
