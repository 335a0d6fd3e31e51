import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { verifyAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { refreshSession } from "#shared/domain/identity/sessions/refresh-session.ts";
import { minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { messagesTo, tokenIn } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { login } from "./login.ts";
import { configureLoginLimits } from "./login-limits.ts";
import { configureMessageLimits, messagesPerHour } from "./message-limits.ts";
import { configureResetLink, issueReset, resetLink } from "./password-reset.ts";
import { pruneCodes } from "./prune-codes.ts";
import { requestPasswordReset } from "./request-message.ts";
import { resetPassword as resetFrom } from "./reset-password.ts";
import { suspendUser } from "./suspend-user.ts";

const device = { ip: "127.0.0.1", userAgent: "tests" };
const fresh = "a quite different battery";
const codeOf = (work: Promise<unknown> | (() => unknown)) =>
  Promise.resolve()
    .then(() => (typeof work === "function" ? work() : work))
    .then(
      () => "done",
      (error: { code?: string; message: string }) => error.code ?? error.message,
    );
const resetPassword = (token: string, password: string) => resetFrom(token, password, device.ip);
const resetFor = (userId: string) => inTransaction((tx) => issueReset(tx, userId));

describe("resetting a password", () => {
  const service = useService();
  const clock = useClock();
  afterEach(closeClients);

  it("uses the link in the mail, ends every session and closes its connections", async () => {
    const ada = await buildUser();
    const socket = await connectSocket(service.url, ada.token);
    await requestPasswordReset(ada.email, device);
    const token = tokenIn((await messagesTo(ada.email))[0]!);
    expect(token).to.match(/^[\w-]{43}$/);
    await resetPassword(token, fresh);
    await socket.inbox.next("disconnect", () => true, 1000);
    expect(await codeOf(() => verifyAccessToken(ada.token))).to.equal("UNAUTHENTICATED");
    expect(await codeOf(refreshSession(ada.refreshToken))).to.equal("REFRESH_TOKEN_INVALID");
    const again = (password: string) => codeOf(login({ identifier: ada.username, password }, device));
    expect(await again(ada.password)).to.equal("INVALID_CREDENTIALS");
    expect(await again(fresh)).to.equal("done");
    const [told] = await messagesTo(ada.email, 2);
    expect(told?.subject).to.equal("Your Hubbub password was changed");
  });

  it("accepts a token once, even when it is sent 20 times at once", async () => {
    const ada = await buildUser();
    const token = await resetFor(ada.id);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => codeOf(resetPassword(token, `${fresh} ${index}`))),
    );
    expect(outcomes.filter((outcome) => outcome === "done")).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome === "CODE_INVALID")).to.have.length(19);
    const password = `${fresh} ${outcomes.indexOf("done")}`;
    expect(await codeOf(login({ identifier: ada.email, password }, device))).to.equal("done");
  });

  it("accepts any of the mailed links, and none after one was used", async () => {
    const ada = await buildUser();
    const [first, second] = [await resetFor(ada.id), await resetFor(ada.id)];
    expect(await codeOf(resetPassword(first, fresh))).to.equal("done");
    expect(await codeOf(resetPassword(second, fresh))).to.equal("CODE_INVALID");
  });

  it("rejects an expired token, an unknown one, and one of a deleted account", async () => {
    const [ada, gone] = [await buildUser(), await buildUser()];
    const [token, dead] = [await resetFor(ada.id), await resetFor(gone.id)];
    await query("UPDATE users SET status = 'deleted' WHERE id = $1", [gone.id]);
    expect(await codeOf(resetPassword(dead, fresh))).to.equal("CODE_INVALID");
    for (const rubbish of ["", "x", "x".repeat(43), `${token} `])
      expect(await codeOf(resetPassword(rubbish, fresh))).to.equal("CODE_INVALID");
    clock.forward(minutesMs(29));
    const later = await resetFor(ada.id);
    clock.forward(minutesMs(1) + secondsMs(1));
    expect(await codeOf(resetPassword(token, fresh))).to.equal("CODE_INVALID");
    while ((await pruneCodes()) > 0);
    expect(await query("SELECT 1 FROM password_resets WHERE user_id = $1", [ada.id])).to.have.length(1);
    expect(await codeOf(resetPassword(later, fresh))).to.equal("done");
  });

  it("keeps the token valid when the password is rejected", async () => {
    const ada = await buildUser();
    const token = await resetFor(ada.id);
    for (const weak of ["password1", "aaaaaaaa", ada.username, ada.email])
      expect(await codeOf(resetPassword(token, weak))).to.equal("VALIDATION_ERROR");
    expect(await codeOf(resetPassword(token, fresh))).to.equal("done");
  });

  it("does not reactivate a suspended account", async () => {
    const ada = await buildUser();
    await suspendUser(serviceItself, ada.id, { reason: "spam" });
    expect(await codeOf(resetPassword(await resetFor(ada.id), fresh))).to.equal("done");
    expect(await codeOf(login({ identifier: ada.email, password: fresh }, device))).to.equal("ACCOUNT_SUSPENDED");
  });

  it("clears the earlier login failures from the same address", async () => {
    configureLoginLimits({ enabled: true });
    const ada = await buildUser();
    const enter = (password: string) => codeOf(login({ identifier: ada.username, password }, device));
    for (let tries = 0; tries < 10; tries += 1) await enter("wrong password");
    expect(await enter(ada.password)).to.equal("RATE_LIMITED");
    await resetPassword(await resetFor(ada.id), fresh);
    expect(await enter(fresh)).to.equal("done");
    configureLoginLimits({ enabled: false });
  });

  it("is ordered before or after a login with the old password", async () => {
    for (let round = 0; round < 5; round += 1) {
      const ada = await buildUser();
      const token = await resetFor(ada.id);
      await Promise.all([
        codeOf(login({ identifier: ada.email, password: ada.password }, device)),
        codeOf(resetPassword(token, fresh)),
      ]);
      const standing = "SELECT 1 FROM sessions WHERE user_id = $1 AND revoked_at IS NULL";
      expect(await query(standing, [ada.id])).to.deep.equal([]);
    }
  });

  it("stores only the hash of a token", async () => {
    const ada = await buildUser();
    const token = await resetFor(ada.id);
    const row = await queryOne<{ shown: string }>(
      "SELECT r::text || encode(token_hash, 'escape') AS shown FROM password_resets r WHERE user_id = $1",
      [ada.id],
    );
    expect(row?.shown).to.be.a("string").and.not.include(token);
    expect(Buffer.from(token, "base64url")).to.have.length(32);
  });
});

describe("requesting a new password", () => {
  useService();
  before(() => configureMessageLimits({ enabled: false }));
  after(() => configureResetLink());

  it("does the same work for an unknown address, but sends nothing", async () => {
    const [ada, gone] = [await buildUser(), await buildUser()];
    await query("UPDATE users SET status = 'deleted' WHERE id = $1", [gone.id]);
    const [known, unknown, deleted] = [
      await statementsOf(() => requestPasswordReset(ada.email, device)),
      await statementsOf(() => requestPasswordReset(`nobody.${ada.email}`, device)),
      await statementsOf(() => requestPasswordReset(gone.email, device)),
    ];
    expect(known.length).to.be.greaterThan(2);
    expect(unknown).to.deep.equal(known);
    expect(deleted).to.deep.equal(known);
    await messagesTo(ada.email);
    expect(await query("SELECT 1 FROM mail_outbox WHERE user_id = $1", [gone.id])).to.deep.equal([]);
  });

  it("is limited by the address, whether or not an account has it", async () => {
    configureMessageLimits({ enabled: true });
    const ada = await buildUser();
    for (const email of [ada.email, `nobody.${ada.email}`]) {
      const outcomes: string[] = [];
      for (let asked = 0; asked <= messagesPerHour.fromNetwork; asked += 1)
        outcomes.push(await codeOf(requestPasswordReset(email, device)));
      expect(outcomes).to.deep.equal([...Array(messagesPerHour.fromNetwork).fill("done"), "RATE_LIMITED"]);
    }
    configureMessageLimits({ enabled: false });
  });

  it("links to the page of the app, whatever its address contains", () => {
    configureResetLink("https://app.example.com/auth?page=reset");
    expect(resetLink("a_b-c")).to.equal("https://app.example.com/auth?page=reset&token=a_b-c");
    configureResetLink();
    expect(resetLink("a_b-c")).to.match(/^http:\/\/127\.0\.0\.1:\d+\/reset-password\?token=a_b-c$/);
  });
});
