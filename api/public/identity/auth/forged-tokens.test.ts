import { expect } from "chai";
import { queryOne } from "#shared/db/query.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { FakeOpenId, type Mood, useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { type Forgery, forgedIdTokens } from "#shared/testing/forged-id-tokens.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

/** Of the main thread, for the request and the response together. */
const cpuMsMax = 50;

describe("forged ID tokens", () => {
  const service = useService();
  const scene = useOpenId();
  const time = useClock();
  let other: FakeOpenId;
  before("configures two providers", async () => {
    other = await FakeOpenId.start();
    configureOpenId([
      { name: "google", issuer: scene.provider.issuer, clientIds: [scene.provider.clientId] },
      { name: "apple", issuer: other.issuer, clientIds: [other.clientId] },
    ]);
  });
  after(() => {
    configureOpenId([]);
    other.stop();
  });

  const signIn = (body: object, path = "/auth/google") => service.call("post", path, { body });
  const identities = async () => (await queryOne<{ count: number }>("SELECT count(*)::int FROM identities"))!.count;
  const token = async (provider = scene.provider) => {
    const nonce = newId();
    return { id_token: await provider.token(newId(), nonce), nonce };
  };

  /** Returns how a login ended, and what of the main thread it took. */
  async function attempt({ id_token, nonce }: Omit<Forgery, "what">) {
    const before = process.threadCpuUsage();
    const { status, body } = await signIn({ id_token, nonce });
    const { user, system } = process.threadCpuUsage(before);
    return { status, code: body.error?.code as string | undefined, cpuMs: (user + system) / 1000 };
  }

  it("are rejected, all of 200, and take no time of the main thread", async function () {
    this.timeout(60_000);
    time.stop();
    const forged = await forgedIdTokens(scene.provider);
    expect(new Set(forged.map(({ what }) => what)).size).to.equal(forged.length);
    expect(forged.length).to.be.at.least(200);
    const made = await identities();
    expect((await signIn(await token())).status).to.equal(200);

    const accepted: string[] = [];
    const slow: string[] = [];
    for (const { what, ...body } of forged) {
      const { status, code, cpuMs } = await attempt(body);
      // What is no token by its characters or its length isn't looked at.
      if (!["401 INVALID_CREDENTIALS", "400 VALIDATION_ERROR", "413 PAYLOAD_TOO_LARGE"].includes(`${status} ${code}`))
        accepted.push(`${what}: ${status} ${code}`);
      // A collection of garbage isn't the token's, and doesn't come twice.
      if (cpuMs > cpuMsMax && (await attempt(body)).cpuMs > cpuMsMax) slow.push(`${what}: ${cpuMs} ms`);
    }

    expect({ accepted, slow }).to.deep.equal({ accepted: [], slow: [] });
    expect(await identities()).to.equal(made + 1);
    expect(scene.provider.asked.length).to.be.at.most(4);
  });

  it("include right tokens of one provider at another, and used ones", async () => {
    const [google, apple] = [await token(), await token(other)];
    const rejected = async (body: object, path: string) => {
      const answer = await signIn(body, path);
      expect([answer.status, answer.body.error?.code]).to.deep.equal([401, "INVALID_CREDENTIALS"]);
    };
    await rejected(google, "/auth/apple");
    await rejected(apple, "/auth/google");
    await rejected({ ...google, nonce: apple.nonce }, "/auth/google");
    expect((await signIn(google)).status).to.equal(200);
    await rejected(google, "/auth/google");
    // A second token with a nonce that has been used.
    const again = await scene.provider.token(newId(), google.nonce);
    await rejected({ id_token: again, nonce: google.nonce }, "/auth/google");
  });

  const moods: Record<Exclude<Mood, "right">, [code: string, withinMs: number]> = {
    "no keys": ["INVALID_CREDENTIALS", 1000],
    redirects: ["ENGINE_UNAVAILABLE", 1000],
    huge: ["ENGINE_UNAVAILABLE", 1000],
    endless: ["ENGINE_UNAVAILABLE", 5000],
    slow: ["ENGINE_UNAVAILABLE", 5000],
    "slow keys": ["ENGINE_UNAVAILABLE", 5000],
    "no json": ["ENGINE_UNAVAILABLE", 1000],
    fails: ["ENGINE_UNAVAILABLE", 1000],
    "other issuer": ["ENGINE_UNAVAILABLE", 1000],
    "keys elsewhere": ["ENGINE_UNAVAILABLE", 1000],
  };
  for (const [mood, [code, withinMs]] of Object.entries(moods))
    it(`are rejected while the provider can't be read: ${mood}`, async () => {
      const provider = await FakeOpenId.start();
      provider.mood = mood as Mood;
      configureOpenId([{ name: "google", issuer: provider.issuer, clientIds: [provider.clientId] }]);
      const body = await token(provider);

      const startedMs = performance.now();
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => attempt(body)));
      expect(performance.now() - startedMs).to.be.below(withinMs * 2);
      expect(new Set(answers.map((answer) => answer.code))).to.deep.equal(new Set([code]));
      // Those who come next don't make us ask again.
      const asked = provider.asked.length;
      expect((await attempt(body)).code).to.equal(code);
      expect(asked).to.be.at.most(2);
      expect(provider.asked.length).to.equal(asked);
      provider.stop();
    });
});
