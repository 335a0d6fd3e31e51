import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { pushTargets } from "#shared/domain/identity/devices/devices.queries.ts";
import { registerDevice } from "#shared/domain/identity/devices/register-device.ts";
import { updateMe } from "#shared/domain/identity/users/update-me.ts";
import { clock, secondsMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { type FakeFailure, FakeFcm } from "#shared/testing/fakes/fake-fcm.ts";
import { callerOf, setStatus } from "#shared/testing/people.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { FcmProvider } from "./fcm.ts";
import { configurePush } from "./push.config.ts";
import type { PushDelayed } from "./push.provider.ts";
import { sendPush } from "./send-push.ts";

const content = { title: "New follower", body: "Ada follows you.", data: { type: "follow" }, replaces: "key" };

describe("pushes by FCM", () => {
  const time = useClock();
  let fcm: FakeFcm;
  let provider: FcmProvider;

  beforeEach(async () => {
    fcm = await FakeFcm.start();
    provider = new FcmProvider({ ...fcm.config, timeoutMs: 5000 });
  });
  afterEach(() => fcm.stop());

  const outcomeOf = (token: string) =>
    provider.send(token, content).then(
      (outcome) => outcome,
      (error: unknown) => String(error),
    );
  const refused = (failure: FakeFailure) => {
    const token = newId();
    fcm.refuse(token, failure);
    return outcomeOf(token);
  };

  it("carry title, body, data, and what replaces or ends them, with one access token for all", async () => {
    const tokens = Array.from({ length: 40 }, () => newId());
    expect(new Set(await Promise.all(tokens.map(outcomeOf)))).to.deep.equal(new Set(["sent"]));
    expect(fcm.taken.map(({ token }) => token)).to.have.members(tokens);
    expect(fcm.tokens.given).to.equal(1);
    const [first] = fcm.taken;
    expect(first).to.deep.include({
      notification: { title: "New follower", body: "Ada follows you." },
      data: { type: "follow" },
    });
    expect(first?.android).to.deep.equal({ priority: "HIGH", ttl: "86400s", notification: { tag: "key" } });
    const { "apns-expiration": expiresAt, ...headers } = first!.apns.headers;
    expect(headers).to.deep.equal({ "apns-collapse-id": "key", "apns-priority": "10" });
    expect(Number(expiresAt) - clock.now() / 1000).to.be.within(86_340, 86_400);
  });

  it("report an unknown device, and only that", async () => {
    const unknown = [
      "unregistered",
      "unregistered_short",
      "wrong_project",
      "invalid_token",
      "invalid_token_short",
    ] as const;
    for (const failure of unknown) expect(await refused(failure), failure).to.equal("unknown_device");
    expect(await refused("invalid_argument")).to.include("400 INVALID_ARGUMENT");
    for (const status of [404, 429, 500, 503]) expect(await refused(status)).to.include(String(status));
    expect(await refused(503)).to.equal("Error: FCM responded 503 UNAVAILABLE");
  });

  it("wait as long as FCM asks, at most an hour", async () => {
    const waitAfter = (failure: FakeFailure) => {
      const token = newId();
      fcm.refuse(token, failure);
      return provider.send(token, content).catch((error: Partial<PushDelayed>) => error.waitSeconds);
    };
    const inTwoMinutes = new Date(clock.now() + 120_000).toUTCString();
    for (const status of [429, 503] as const) {
      expect(await waitAfter({ status, retryAfter: "90" })).to.equal(90);
      expect(await waitAfter({ status, retryAfter: inTwoMinutes })).to.be.within(110, 120);
      expect(await waitAfter({ status, retryAfter: "86400" })).to.equal(3600);
      expect(await waitAfter({ status, retryAfter: "soon" })).to.equal(60);
    }
    expect([await waitAfter(429), await waitAfter(503), await waitAfter(500)]).to.deep.equal([
      60,
      undefined,
      undefined,
    ]);
  });

  it("give up on a call that hangs", async () => {
    provider = new FcmProvider({ ...fcm.config, timeoutMs: 50 });
    expect(await refused("hang")).to.include("TimeoutError");
  });

  it("get another access token when one expires or is rejected, and retry when there was none", async () => {
    fcm.tokens.fail(1);
    expect(await outcomeOf("a")).to.include("/token responded 503");
    expect(await outcomeOf("a")).to.equal("sent");
    fcm.tokens.revokeAll();
    expect(await outcomeOf("a")).to.include("FCM responded 401");
    expect(await outcomeOf("a")).to.equal("sent");
    time.forward(secondsMs(3541));
    expect(await outcomeOf("a")).to.equal("sent");
    expect(fcm.tokens.given).to.equal(3);
  });
});

describe("sendPush", () => {
  useDatabase();
  let fcm: FakeFcm;

  before(async () => {
    fcm = await FakeFcm.start();
    configurePush(fcm.config);
  });
  after(async () => {
    configurePush(undefined);
    await fcm.stop();
  });

  async function build(devices = 1): Promise<{ user: BuiltUser; tokens: string[] }> {
    const user = await buildUser();
    const tokens = Array.from({ length: devices }, () => `push-${newId()}`);
    for (const push_token of tokens)
      await registerDevice(callerOf(user), { platform: "android", device_uid: newId(), push_token });
    return { user, tokens };
  }
  const connect = ({ id }: BuiltUser, lease: string) =>
    query("INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, $2, now() + $3::interval)", [
      id,
      newId(),
      lease,
    ]);

  it("reaches all devices of a user who is not connected", async () => {
    const { user, tokens } = await build(3);
    await connect(user, "-1 second");
    expect(await sendPush(user.id, content)).to.deep.equal({ settled: 3, failed: [], waitSeconds: 0 });
    expect(tokens.map((token) => fcm.pushesTo(token).length)).to.deep.equal([1, 1, 1]);
  });

  it("skips users who are connected, don't want pushes, are suspended, or have logged out", async () => {
    const cases: [why: string, make: (user: BuiltUser) => Promise<unknown>][] = [
      ["connected", (user) => connect(user, "30 seconds")],
      ["not wanted", (user) => updateMe(callerOf(user), { settings: { notifications: { push: false } } })],
      ["suspended", (user) => setStatus(user, "suspended")],
      ["logged out", ({ sessionId }) => query("UPDATE sessions SET revoked_at = now() WHERE id = $1", [sessionId])],
    ];
    for (const [why, make] of cases) {
      const { user, tokens } = await build();
      await make(user);
      expect(await sendPush(user.id, content), why).to.deep.equal({ settled: 0, failed: [], waitSeconds: 0 });
      expect(fcm.pushesTo(tokens[0]!), why).to.deep.equal([]);
    }
  });

  it("drops unknown devices, and returns those to retry", async () => {
    const { user, tokens } = await build(3);
    const [gone, busy, fine] = tokens as [string, string, string];
    fcm.refuse(gone, "unregistered");
    fcm.refuse(busy, 503);
    const targets = await pushTargets([user.id]);
    const idOf = (token: string) => targets.find(({ push_token }) => push_token === token)!.device_id;
    expect(await sendPush(user.id, content)).to.deep.equal({ settled: 2, failed: [idOf(busy)], waitSeconds: 0 });
    expect((await pushTargets([user.id])).map(({ push_token }) => push_token)).to.have.members([busy, fine]);
    expect(await sendPush(user.id, content, [idOf(busy)])).to.deep.equal({ settled: 1, failed: [], waitSeconds: 0 });
    expect([busy, fine].map((token) => fcm.pushesTo(token).length)).to.deep.equal([1, 1]);
  });

  it("does nothing while pushes are not configured", async () => {
    const { user, tokens } = await build();
    try {
      configurePush(undefined);
      expect(await sendPush(user.id, content)).to.deep.equal({ settled: 0, failed: [], waitSeconds: 0 });
    } finally {
      configurePush(fcm.config);
    }
    expect(fcm.pushesTo(tokens[0]!)).to.deep.equal([]);
  });
});
