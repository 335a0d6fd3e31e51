import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { closeClients, connectSocket, joinNative } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { FakeLiveKit } from "#shared/testing/fakes/livekit/fake-livekit.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  openRoom,
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/** What the documents promise for every process, milliseconds: of most changes, and of rules about texts. */
const [promised, promisedOfRules] = [2000, 1000];

interface Admin {
  readonly id: string;
  readonly token: string;
}

describe("what an administrator changes in one process", function () {
  this.timeout(120_000);
  let folder: string;
  let redis: TestRedis;
  let livekit: FakeLiveKit;
  let db: pg.Pool;
  /** Where administrators call. */
  let here: SpawnedService;
  let there: SpawnedService;
  let root: Admin;
  const userPassword = "correct horse battery";
  const password = "an administrator's long password";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "two-processes-"));
    [redis, livekit] = await Promise.all([startRedis(), FakeLiveKit.start()]);
    const environment = {
      DATABASE_URL: await createDatabase({ migrated: true }),
      REDIS_URL: redis.url,
      DATA_DIR: folder,
      JWT_SECRET: "one secret for them both, of 40 characters",
      ADMIN_EMAIL: "root@example.com",
      ADMIN_PASSWORD: password,
      LIVEKIT_URL: livekit.credentials.url,
      LIVEKIT_API_KEY: livekit.credentials.apiKey,
      LIVEKIT_API_SECRET: livekit.credentials.apiSecret,
    };
    db = new pg.Pool({ connectionString: environment.DATABASE_URL });
    [here, there] = await Promise.all([spawnService(environment), spawnService(environment)]);
    root = await logIn("root@example.com");
  });
  afterEach(closeClients);
  after(async () => {
    await stopServices();
    await Promise.all([db.end(), livekit.stop(), redis.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const admin = async (by: Admin, method: string, path: string, body: object = {}, service = here) =>
    service.call(method, `/admin${path}`, { token: by.token, ...(method !== "get" && { body }) });
  async function logIn(email: string): Promise<Admin> {
    const { body } = await here.call("post", "/admin/login", { body: { email, password } });
    return { id: body.data.admin.id, token: body.data.token };
  }
  /** Creates a role and an administrator who has it, with the same password. */
  async function appoint(name: string, permissions: readonly string[]) {
    const role = (await admin(root, "post", "/roles", { name, permissions })).body.data;
    const email = `${name}@example.com`;
    await db.query(
      `INSERT INTO admins (id, email, full_name, password_hash, role_id)
       SELECT gen_random_uuid(), $1, 'Grace Hopper', password_hash, $2 FROM admins WHERE id = $3`,
      [email, role.id, root.id],
    );
    return { ...(await logIn(email)), role: role.id as string };
  }
  const codeOf = async (answer: ReturnType<SpawnedService["call"]>): Promise<string> =>
    (await answer).body.error?.code ?? "ok";

  /** Returns the promised time, and what some calls take meanwhile: on a busy machine, each is slow by itself. */
  async function patience(ms = promised): Promise<number> {
    const began = performance.now();
    for (let calls = 0; calls < 10; calls += 1) await there.call("get", "/config/public");
    return ms + 5 * (performance.now() - began);
  }

  /** Each changes something in `here` and returns what `there` says then. */
  type Change = () => Promise<readonly [look: () => Promise<unknown>, expected: unknown]>;
  const promises: Record<string, Change> = {
    "a setting": async () => {
      await admin(root, "patch", "/settings", { app_name: "Murmur" });
      return [async () => (await there.call("get", "/config/public")).body.data.app_name, "Murmur"];
    },
    "the beginning of maintenance": async () => {
      await admin(root, "post", "/maintenance", { enabled: true });
      return [() => codeOf(there.call("get", "/games/types")), "MAINTENANCE"];
    },
    "the end of maintenance": async () => {
      await admin(root, "post", "/maintenance", { enabled: false });
      return [() => codeOf(there.call("get", "/games/types")), "UNAUTHENTICATED"];
    },
    "a role that gets a permission": async () => {
      const clerk = await appoint("gets", ["gifts.read"]);
      await admin(root, "put", `/roles/${clerk.role}/permissions`, { permissions: ["frames.read"] });
      return [() => codeOf(admin(clerk, "get", "/frames", {}, there)), "ok"];
    },
    "a role that loses a permission": async () => {
      const clerk = await appoint("loses", ["gifts.read"]);
      expect(await codeOf(admin(clerk, "get", "/gifts", {}, there))).to.equal("ok");
      await admin(root, "put", `/roles/${clerk.role}/permissions`, { permissions: ["frames.read"] });
      return [() => codeOf(admin(clerk, "get", "/gifts", {}, there)), "FORBIDDEN"];
    },
    "an administrator who gets another role": async () => {
      const [clerk, other] = [await appoint("moves", ["gifts.read"]), await appoint("target", ["frames.read"])];
      await admin(root, "patch", `/admins/${clerk.id}`, { role_id: other.role });
      return [() => codeOf(admin(clerk, "get", "/gifts", {}, there)), "FORBIDDEN"];
    },
    "a server key's revocation": async () => {
      const body = { name: "Feed", permissions: ["gifts.read"] };
      const { id, key } = (await admin(root, "post", "/server-keys", body)).body.data;
      const look = () => codeOf(there.call("get", "/admin/gifts", { token: key }));
      expect(await look()).to.equal("ok");
      await admin(root, "delete", `/server-keys/${id}`);
      return [look, "UNAUTHENTICATED"];
    },
    "an administrator's suspension": async () => {
      const clerk = await appoint("leaves", ["gifts.read"]);
      await admin(root, "patch", `/admins/${clerk.id}`, { status: "suspended" });
      return [() => codeOf(admin(clerk, "get", "/gifts", {}, there)), "ACCOUNT_SUSPENDED"];
    },
    "an administrator's logout": async () => {
      const clerk = await appoint("logs_out", ["gifts.read"]);
      await admin(clerk, "post", "/logout");
      return [() => codeOf(admin(clerk, "get", "/gifts", {}, there)), "UNAUTHENTICATED"];
    },
    "a sanction": async () => {
      const user = await register(there);
      expect(await post(user, "hello")).to.equal("ok");
      await sanction(user);
      return [() => post(user, "hello"), "SANCTIONED"];
    },
    "the lift of a sanction": async () => {
      const user = await register(there);
      const { id } = (await sanction(user)).body.data;
      await until("it holds", async () => (await post(user, "hello")) === "SANCTIONED");
      await admin(root, "post", `/sanctions/${id}/lift`);
      return [() => post(user, "hello"), "ok"];
    },
  };
  const post = ({ token }: Registered, content: string) =>
    codeOf(there.call("post", "/posts", { token, body: { content } }));
  const sanction = ({ id }: Registered) =>
    admin(root, "post", "/sanctions", { user_id: id, kinds: ["post"], reason: "Insults." });
  const rule = (word: string, kind: string) =>
    admin(root, "post", "/rules", {
      name: `Without ${word}`,
      scope: { kind: "service" },
      trigger: { kind: "words", words: [word], allow: [] },
      action: { kind, text: "No." },
    });

  const promisesOfRules: Record<string, Change> = {
    "a rule": async () => {
      const user = await register(there);
      expect(await post(user, "zorglub")).to.equal("ok");
      await rule("zorglub", "block");
      return [() => post(user, "zorglub"), "CONTENT_BLOCKED"];
    },
    "the end of a rule": async () => {
      const [user, { id }] = [await register(there), (await rule("fnord", "block")).body.data];
      await until("it holds", async () => (await post(user, "fnord")) === "CONTENT_BLOCKED");
      await admin(root, "delete", `/rules/${id}`);
      return [() => post(user, "fnord"), "ok"];
    },
    "a host's rule of their room": async () => {
      const [host, user] = [await register(here), await register(there)];
      const room = await openRoom(here, host);
      const client = await connectSocket(there.url, user.token);
      await client.ask("room:join", { room_id: room });
      const say = async () => (await client.ask("room:message", { room_id: room, body: "plugh" })).error?.code ?? "ok";
      expect(await say()).to.equal("ok");
      const body = { words: ["plugh"], allow: [], action: "block", minutes: 5, text: "No." };
      await here.call("put", `/rooms/${room}/rules`, { token: host.token, body });
      return [say, "CONTENT_BLOCKED"];
    },
  };

  for (const [ms, changes] of [[promised, promises] as const, [promisedOfRules, promisesOfRules] as const])
    for (const [name, change] of Object.entries(changes))
      it(`holds in the other within ${ms} ms: ${name}`, async () => {
        const within = await patience(ms);
        const [look, expected] = await change();

        await until(`the other process says ${expected}`, async () => (await look()) === expected, within);
      });

  it("shows what was held once, in the order of release, when both release at the same time", async () => {
    const [host, reader] = [await register(here), await register(there)];
    const [room] = [await openRoom(here, host), await rule("xyzzy", "hold")];
    const [writes, reads] = [await connectSocket(here.url, host.token), await connectSocket(there.url, reader.token)];
    for (const client of [writes, reads]) await client.ask("room:join", { room_id: room });
    const say = (body: string) => writes.ask("room:message", { room_id: room, body });
    await until("the rule holds", async () => (await say("a xyzzy before")).data.held === true);
    const runsIn = async ({ url }: SpawnedService) =>
      Number(
        /^hubbub_jobs_total\{job="content.release",outcome="done"\} (\d+)/m.exec(
          await (await fetch(`${url}/metrics`)).text(),
        )?.[1] ?? 0,
      );
    const released: string[] = [];
    // Who takes a job is up to chance: until both have.
    while (released.length < 12 || (await runsIn(here)) === 0 || (await runsIn(there)) === 0) {
      const bodies = Array.from({ length: 6 }, (_, index) => `xyzzy ${released.length + index}`);
      const held: string[] = [];
      for (const body of bodies) held.push((await say(body)).data.id);
      for (const [index, id] of [...held.entries()].reverse()) {
        await admin(root, "post", `/review-queue/${id}/decide`, { decision: "release" }, index % 2 ? here : there);
        released.push(bodies[index]!);
      }
    }

    const ofThem = (bodies: readonly string[]) => bodies.filter((body) => body.startsWith("xyzzy"));
    const heard = () => ofThem(reads.inbox.of("room:new_message").map(({ message }) => message.body));
    await until("all are shown", () => heard().length >= released.length);
    const settled = "SELECT 1 FROM held_content WHERE status = 'released' AND delivered_at IS NULL";
    await until("nothing is left", async () => (await db.query(settled)).rowCount === 0);
    expect(heard()).to.deep.equal(released);
    const { rows } = await db.query("SELECT body FROM room_messages WHERE room_id = $1 ORDER BY id", [room]);
    expect(ofThem(rows.map(({ body }) => body))).to.deep.equal(released);
  });

  const suspend = (user: Registered) => admin(root, "post", `/users/${user.id}/suspend`, { reason: "Spam" });
  const logInUser = (service: SpawnedService, username: string) =>
    service.call("post", "/auth/login", { body: { identifier: username, password: userPassword } });
  const usernameOf = async ({ id }: Registered): Promise<string> =>
    (await db.query("SELECT username FROM users WHERE id = $1", [id])).rows[0].username;
  async function loggedIn(user: Registered): Promise<Registered> {
    const { body } = await logInUser(there, await usernameOf(user));
    const { accessToken: token, refreshToken } = body.data;
    // They may hear later than an administrator that the account is active again.
    for (const service of [here, there])
      await until(
        "a process serves them",
        async () => (await service.call("get", "/users/me", { token })).body.success,
      );
    return { id: user.id, token, refreshToken };
  }

  /** The states that an account can have a session in, and how it gets there. */
  const states: Record<string, (user: Registered) => Promise<Registered>> = {
    unverified: async (user) => user,
    verified: async (user) => {
      await admin(root, "post", `/users/${user.id}/verify`, { address: "email" });
      return user;
    },
    "suspended before": async (user) => {
      await suspend(user);
      await admin(root, "post", `/users/${user.id}/reactivate`);
      return loggedIn(user);
    },
    "back from its deletion": async (user) => {
      await here.call("post", "/account/delete-request", { token: user.token, body: {} });
      return loggedIn(user);
    },
    "suspended and back from its deletion": async (user) => {
      await here.call("post", "/account/delete-request", { token: user.token, body: {} });
      await suspend(user);
      await admin(root, "post", `/users/${user.id}/reactivate`);
      return loggedIn(user);
    },
  };

  const catalogue = (service: SpawnedService, path: string, headers: Record<string, string>, method = "GET") =>
    fetch(`${service.url}/catalogue${path}`, { method, headers }).then(({ status }) => status);
  const keysOf = async ({ token }: Registered) => {
    const body = { name: "Shop" };
    const { data } = (await here.call("post", "/users/me/api-keys", { token, body })).body;
    const keys = { PublicKey: data.public_key as string, SecretKey: data.secret_key as string };
    const issued = await fetch(`${there.url}/catalogue/generate/authorization-token`, {
      method: "POST",
      headers: keys,
    });
    const { bearer_token } = (await issued.json()) as { bearer_token: string };
    return { keys, bearer: { authorization: `Bearer ${bearer_token}` } };
  };

  for (const [state, reach] of Object.entries(states))
    it(`takes all access from a suspended user whose account was ${state}`, async () => {
      const [host, registered] = await Promise.all([register(here), register(there)]);
      const [room, user] = [await openRoom(here, host), await reach(registered)];
      const { token } = user;
      const hostOnThis = await connectSocket(here.url, host.token);
      await hostOnThis.ask("room:join", { room_id: room });
      const sockets = [await connectSocket(here.url, token), await connectSocket(there.url, token)];
      expect((await sockets[1]!.ask("room:join", { room_id: room })).success).to.equal(true);
      const native = await joinNative(there.url, token, { room_id: room });
      const lobby = (await there.call("post", "/games/lobbies", { token, body: { type: "ludo" } })).body.data;
      const voice = (await there.call("post", `/rooms/${room}/voice-token`, { token })).body.data;
      await livekit.connect(voice.token);
      const { keys, bearer } = await keysOf(user);
      expect(await catalogue(there, "/orders", bearer)).to.equal(200);

      const within = await patience();
      const began = performance.now();
      const suspended = await suspend(user);
      const refused = (service: SpawnedService) =>
        until(
          "calls are refused",
          async () => {
            const call = service.call("get", "/users/me", { token });
            return (
              (await codeOf(call)) === "ACCOUNT_SUSPENDED" && (await catalogue(service, "/orders", bearer)) === 401
            );
          },
          within,
        );
      await Promise.all([
        ...[here, there].map(refused),
        ...sockets.map(({ inbox }) => inbox.next("disconnect", () => true, within)),
        native.inbox.next("leave", () => true, within),
        hostOnThis.inbox.next("room:participant_left", ({ user_id }) => user_id === user.id, within),
        until(
          "the lobby is cancelled",
          async () => {
            const { rows } = await db.query("SELECT status FROM game_lobbies WHERE id = $1", [lobby.id]);
            return rows[0].status === "cancelled";
          },
          within,
        ),
        until("voice has ended", () => !livekit.participant(voice.roomName, user.id), within),
      ]);
      const took = performance.now() - began;

      expect(suspended.status).to.equal(200);
      expect(took).to.be.below(within);
      const again = await Promise.all([
        codeOf(logInUser(there, await usernameOf(user))),
        codeOf(there.call("post", "/auth/refresh", { body: { refreshToken: user.refreshToken } })),
        connectSocket(there.url, token).catch((error: { data?: { code: string } }) => error.data?.code),
        joinNative(there.url, token, { room_id: room }).catch((error: Error) => error.message),
        catalogue(there, "/generate/authorization-token", keys, "POST"),
      ]);
      expect(again.slice(0, 3)).to.deep.equal(["ACCOUNT_SUSPENDED", "ACCOUNT_SUSPENDED", "ACCOUNT_SUSPENDED"]);
      expect(again[3]).to.include("ACCOUNT_SUSPENDED");
      expect(again[4]).to.equal(401);
    });

  it("keeps a user out who waits for the deletion of their account", async () => {
    const user = await register(there);
    const { keys } = await keysOf(user);
    const username = await usernameOf(user);
    await there.call("post", "/account/delete-request", { token: user.token, body: {} });

    await suspend(user);

    expect(await codeOf(logInUser(there, username))).to.equal("ACCOUNT_SUSPENDED");
    expect(await catalogue(there, "/generate/authorization-token", keys, "POST")).to.equal(401);
    expect(await codeOf(there.call("post", "/auth/refresh", { body: { refreshToken: user.refreshToken } }))).to.equal(
      "ACCOUNT_SUSPENDED",
    );
  });

  // Last, because it also holds for the administrator of these tests.
  it("holds in the other within 2 seconds: the demand for a second factor", async () => {
    const [within, clerk] = [await patience(), await appoint("lacks_factor", ["gifts.read"])];

    await admin(root, "patch", "/settings", { admin_mfa_required: true });

    const look = () => codeOf(admin(clerk, "get", "/gifts", {}, there));
    await until("the other process demands it", async () => (await look()) === "MFA_REQUIRED", within);
  });
});
