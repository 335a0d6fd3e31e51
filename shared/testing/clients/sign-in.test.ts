import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { createClient, type Hubbub, isHubbubError } from "../../client/client.ts";
import { useOpenId } from "../fakes/fake-openid.ts";
import { codeIn, messagesTo } from "../mailbox.ts";
import { adminCaller } from "../people.ts";
import { useService } from "../service.ts";
import { until } from "../until.ts";

describe("the typed client's ways to log in", () => {
  const service = useService();
  const scene = useOpenId();
  const opened: Hubbub[] = [];
  before("configures them", async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId(["google", "apple", "facebook", "line"].map((name) => ({ name, issuer, clientIds: [clientId] })));
    await changeSettings(adminCaller(), { guests_enabled: true });
  });
  afterEach(() => {
    for (const hubbub of opened.splice(0)) hubbub.disconnect();
  });
  after(async () => {
    configureOpenId([]);
    await query("DELETE FROM settings");
    await loadSettings();
  });

  const newClient = (): Hubbub => {
    const hubbub = createClient({ url: service.url });
    opened.push(hubbub);
    return hubbub;
  };
  const proof = async (subject: string) => {
    const nonce = newId();
    return { id_token: await scene.provider.token(subject, nonce), nonce };
  };
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => "ok",
      (error: unknown) => (isHubbubError(error) ? error.code : String(error)),
    );

  const byToken = {
    google: async (hubbub: Hubbub, subject: string) => hubbub.signIn.google(await proof(subject)),
    apple: async (hubbub: Hubbub, subject: string) => hubbub.signIn.apple(await proof(subject)),
    facebook: async (hubbub: Hubbub, subject: string) => hubbub.signIn.facebook(await proof(subject)),
    oidc: async (hubbub: Hubbub, subject: string) => hubbub.signIn.oidc("line", await proof(subject)),
  };
  for (const [way, signIn] of Object.entries(byToken))
    it(`${way}: registers, connects, and logs the same user in again`, async () => {
      const [subject, hubbub] = [newId(), newClient()];
      const made = await signIn(hubbub, subject);
      expect(Object.keys(made).sort()).to.deep.equal(["is_new", "missing", "user"]);
      expect(made).to.include({ is_new: true });
      expect(hubbub.user?.id).to.equal(made.user.id);
      await until("it is online", async () => hubbub.status === "online");
      expect((await hubbub.users.me()).id).to.equal(made.user.id);
      const again = await signIn(newClient(), subject);
      expect([again.is_new, again.user.id]).to.deep.equal([false, made.user.id]);
    });

  it("phone: sends a code, and logs in by it", async () => {
    const hubbub = newClient();
    const mobile = `+9195${String(process.pid % 100_000_000).padStart(8, "0")}`;
    await hubbub.signIn.phoneCode(mobile);
    const code = codeIn((await messagesTo(mobile))[0]!);
    expect((await hubbub.signIn.phone({ mobile, code })).user.mobile).to.equal(mobile);
    expect(await codeOf(hubbub.signIn.phone({ mobile, code }))).to.equal("CODE_INVALID");
  });

  it("guest: comes back by the secret, and becomes a user by linking, at once", async () => {
    const [first, again] = [newClient(), newClient()];
    const { guest_secret, user } = await first.signIn.guest();
    expect((await again.signIn.guest({ guest_secret: guest_secret! })).user.id).to.equal(user.id);
    const room = { name: "Mine", category: "music", language: "en" };
    expect(await codeOf(again.rooms.create(room))).to.equal("GUEST_NOT_ALLOWED");
    const linked = await again.signIn.link("google", await proof(newId()));
    expect(linked.map(({ provider }) => provider)).to.deep.equal(["google"]);
    expect(await codeOf(again.rooms.create(room))).to.equal("ok");
  });

  it("keep the user who is logged in when a token isn't accepted", async () => {
    const hubbub = newClient();
    const { user } = await hubbub.signIn.google(await proof(newId()));
    expect(await codeOf(hubbub.signIn.apple({ ...(await proof(newId())), nonce: newId() }))).to.equal(
      "INVALID_CREDENTIALS",
    );
    expect((await hubbub.users.me()).id).to.equal(user.id);
  });
});
