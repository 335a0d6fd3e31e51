import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { type Answer, useService } from "#shared/testing/service.ts";

const connections = 50;
const rounds = 15;
const changed = { signup_bonus_requires_verification: false, signup_bonuses_per_network_per_day: 0 };

describe("concurrent logins", () => {
  const service = useService();
  const scene = useOpenId();
  before("configures providers, and lets guests in", async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId(["google", "apple"].map((name) => ({ name, issuer, clientIds: [clientId] })));
    await changeSettings(adminCaller(), { ...changed, guests_enabled: true, signup_bonus: 50 });
  });
  after(async () => {
    configureOpenId([]);
    await query("DELETE FROM settings");
    await loadSettings();
  });

  const proof = async (subject: string) => {
    const nonce = newId();
    return { id_token: await scene.provider.token(subject, nonce), nonce };
  };
  const post = (path: string, body: object, token?: string) =>
    service.call("post", path, { body, ...(token && { token }) });
  const link = (token: string, provider: string, body: object) => post(`/users/me/identities/${provider}`, body, token);
  const newGuest = async () => (await post("/auth/guest", {})).body.data;
  const codesOf = (answers: readonly Answer[]): string[] => answers.map(({ body }) => body.error?.code ?? "ok").sort();
  const ownersOf = async (subject: string): Promise<string[]> =>
    (await query<{ user_id: string }>("SELECT user_id FROM identities WHERE subject = $1", [subject])).map(
      ({ user_id }) => user_id,
    );

  it("with the same token make one account, and one session", async () => {
    const subject = newId();
    const body = await proof(subject);
    const answers = await Promise.all(Array.from({ length: connections }, () => post("/auth/google", body)));
    expect(codesOf(answers)).to.deep.equal([...Array(connections - 1).fill("INVALID_CREDENTIALS"), "ok"]);
    const [owner, ...others] = await ownersOf(subject);
    expect(others).to.deep.equal([]);
    expect((await query("SELECT 1 FROM sessions WHERE user_id = $1", [owner])).length).to.equal(1);
  });

  it("of a new person with different tokens make one account", async () => {
    const subject = newId();
    const bodies = await Promise.all(Array.from({ length: connections }, () => proof(subject)));
    const answers = await Promise.all(bodies.map((body) => post("/auth/google", body)));
    expect(new Set(codesOf(answers))).to.deep.equal(new Set(["ok"]));
    expect(new Set(answers.map(({ body }) => body.data.user.id)).size).to.equal(1);
    expect(answers.filter(({ body }) => body.data.is_new).length).to.equal(1);
  });

  it("and a link of the same identity give it to one account", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [ada, subject] = [await buildUser(), newId()];
      const [toLink, toLogIn] = [await proof(subject), await proof(subject)];
      const linking = () => link(ada.token, "google", toLink);
      const loggingIn = () => post("/auth/google", toLogIn);
      // Either may come first.
      const [linked, loggedIn] =
        round % 2 === 0
          ? await Promise.all([linking(), loggingIn()])
          : await Promise.all([loggingIn(), linking()]).then(([login, other]) => [other, login] as const);

      const owner = loggedIn.body.data.user.id;
      expect(await ownersOf(subject)).to.deep.equal([owner]);
      expect(codesOf([linked])).to.deep.equal([owner === ada.id ? "ok" : "IDENTITY_TAKEN"]);
      expect(loggedIn.body.data.is_new).to.equal(owner !== ada.id);
    }
  });

  it("with a token that is linked at the same time use it once", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [ada, subject] = [await buildUser(), newId()];
      const body = await proof(subject);
      const answers = await Promise.all([link(ada.token, "google", body), post("/auth/google", body)]);
      expect(codesOf(answers)).to.deep.equal(["INVALID_CREDENTIALS", "ok"]);
      expect((await ownersOf(subject)).length).to.equal(1);
    }
  });

  it("of a guest who links twice make them a user once", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const guest = await newGuest();
      const [google, apple] = [newId(), newId()];
      const answers = await Promise.all([
        link(guest.accessToken, "google", await proof(google)),
        link(guest.accessToken, "google", await proof(google)),
        link(guest.accessToken, "apple", await proof(apple)),
      ]);
      expect(codesOf(answers)).to.deep.equal(["ok", "ok", "ok"]);
      expect([...(await ownersOf(google)), ...(await ownersOf(apple))]).to.deep.equal([guest.user.id, guest.user.id]);
      const secret = await post("/auth/guest", { guest_secret: guest.guest_secret });
      expect(codesOf([secret])).to.deep.equal(["INVALID_CREDENTIALS"]);
      const bonus = await query("SELECT 1 FROM coin_grants WHERE kind = 'signup' AND id = $1", [guest.user.id]);
      const wallet = await service.call("get", "/wallet", { token: guest.accessToken });
      expect([bonus.length, wallet.body.data.balance]).to.deep.equal([1, 50]);
    }
  });

  it("of two guests who link the same identity make one of them a user", async () => {
    for (let round = 0; round < rounds; round += 1) {
      const guests = [await newGuest(), await newGuest()];
      const subject = newId();
      const answers = await Promise.all(
        guests.map(async ({ accessToken }) => link(accessToken, "google", await proof(subject))),
      );
      expect(codesOf(answers)).to.deep.equal(["IDENTITY_TAKEN", "ok"]);
      const winner = guests[answers.findIndex(({ status }) => status === 200)];
      expect(await ownersOf(subject)).to.deep.equal([winner.user.id]);
      const loser = guests.find((guest) => guest !== winner);
      expect(codesOf([await post("/auth/guest", { guest_secret: loser.guest_secret })])).to.deep.equal(["ok"]);
    }
  });
});
