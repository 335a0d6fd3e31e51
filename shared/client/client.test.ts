import { isDeepStrictEqual } from "node:util";
import { Client as ColyseusClient } from "@colyseus/sdk";
import { expect } from "chai";
import { accessTokenOf } from "../testing/access/access-tokens.ts";
import { buildAdmin } from "../testing/admins.ts";
import { buildCard } from "../testing/catalogue.ts";
import { closeClients, connectSocket, joinVoiceRoom } from "../testing/clients/clients.ts";
import { type FlakyNetwork, openFlakyNetwork } from "../testing/clients/flaky-network.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "../testing/factories.ts";
import { raiseEpoch } from "../testing/raise-epoch.ts";
import { useService } from "../testing/service.ts";
import { until } from "../testing/until.ts";
import { useClock } from "../testing/use-clock.ts";
import { createAdmin } from "./admin.ts";
import {
  type ClientOptions,
  createClient,
  type Hubbub,
  isHubbubError,
  memoryStorage,
  outcome,
  type ServerEvents,
  type Tokens,
} from "./client.ts";

describe("the typed client", () => {
  const service = useService();
  const time = useClock();
  const opened: Hubbub[] = [];
  let network: FlakyNetwork;
  before(async () => {
    network = await openFlakyNetwork(service.url);
  });
  afterEach(() => {
    for (const hubbub of opened.splice(0)) hubbub.disconnect();
    closeClients();
    network.restore();
  });
  after(() => network.close());

  const clientWith = (options: ClientOptions = {}): Hubbub => {
    const hubbub = createClient({ url: network.url, ...options });
    opened.push(hubbub);
    return hubbub;
  };
  /** A client with the session of a built user. */
  const clientOf = async (user: BuiltUser, options: ClientOptions = {}, accessToken = user.token): Promise<Hubbub> => {
    const storage = memoryStorage();
    await storage.set({ accessToken, refreshToken: user.refreshToken });
    return clientWith({ storage, ...options });
  };
  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => "ok",
      (error: unknown) => (isHubbubError(error) ? error.code : String(error)),
    );

  /** Counts the calls of a path, and can lose answers that the server has given. */
  const watchedFetch = (path: string) => {
    const watched = { calls: 0, lose: 0, refuse: 0, fetch: fetch };
    watched.fetch = async (...call) => {
      const response = await fetch(...call);
      if (!String(call[0]).endsWith(path)) return response;
      watched.calls += 1;
      if (watched.refuse > 0) {
        watched.refuse -= 1;
        return Response.json({ success: false, error: { code: "NOT_A_MEMBER", message: "Not yet." } }, { status: 403 });
      }
      if (watched.lose === 0) return response;
      watched.lose -= 1;
      await response.text();
      throw new TypeError("fetch failed");
    };
    return watched;
  };

  describe("a session", () => {
    it("begins with a login, is resumed from the storage, and ends for good with a logout", async () => {
      const { username, password, id } = await buildUser();
      const storage = memoryStorage();
      const first = clientWith({ storage });
      expect((await first.login({ identifier: username, password })).id).to.equal(id);
      const second = clientWith({ storage });
      const reasons: string[] = [];
      second.on("logout", ({ reason }) => reasons.push(reason));

      expect((await second.restore())?.username).to.equal(username);
      await second.logout();

      expect(reasons).to.deep.equal(["LOGGED_OUT"]);
      expect(await clientWith({ storage }).restore()).to.equal(null);
      expect(await codeOf(second.users.me())).to.equal("UNAUTHENTICATED");
    });

    it("names the errors of a call by their codes", async () => {
      const { username } = await buildUser();

      const { error } = await outcome(clientWith().request("logIn", { body: { identifier: username, password: "x" } }));
      const wrong = await outcome(clientWith().request("logIn", { body: { identifier: "", password: "x" } }));

      expect(error).to.include({ code: "INVALID_CREDENTIALS", status: 401 });
      expect(error?.docUrl).to.match(/errors/);
      expect(wrong.error?.details.map(({ field }) => field)).to.deep.equal(["identifier"]);
    });

    it("renews its tokens once, however many calls find them expired, over REST and the socket alike", async () => {
      const user = await buildUser();
      const watched = watchedFetch("/auth/refresh");
      const hubbub = await clientOf(user, { fetch: watched.fetch }, accessTokenOf(user, -10));

      const calls = Array.from({ length: 12 }, () => hubbub.users.me());
      const events = Array.from({ length: 3 }, () => codeOf(hubbub.send("room:leave", { room_id: user.id })));

      expect((await Promise.all(calls)).map(({ id }) => id)).to.deep.equal(calls.map(() => user.id));
      expect(await Promise.all(events)).to.deep.equal(["NOT_FOUND", "NOT_FOUND", "NOT_FOUND"]);
      expect(watched.calls).to.equal(1);
    });

    it("isn't taken for that of another user who has logged in with the same storage", async () => {
      const [ada, grace] = await Promise.all([buildUser(), buildUser()]);
      let kept: Tokens | null = { accessToken: accessTokenOf(ada, -10), refreshToken: ada.refreshToken };
      const hubbub = clientWith({
        storage: {
          get: () => kept,
          set: (tokens) => {
            kept = tokens;
          },
        },
      });
      const call = codeOf(hubbub.users.me());
      const others = { accessToken: grace.token, refreshToken: grace.refreshToken };

      kept = others;

      expect(await call).to.equal("TOKEN_EXPIRED");
      expect(kept).to.equal(others);
    });

    it("shows its connection a new token before the old one expires", async () => {
      const user = await buildUser();
      const watched = watchedFetch("/auth/refresh");
      const hubbub = await clientOf(user, { fetch: watched.fetch }, accessTokenOf(user, 2));
      const statuses: string[] = [];
      hubbub.on("status", (status) => statuses.push(status));
      const live = await hubbub.rooms.join((await buildRoom()).id);
      const other = await connectSocket(service.url, accessTokenOf(await buildUser(), 2));
      await until("it is renewed", () => watched.calls === 1);

      // Beyond the minute that a connection has to show a new token.
      time.forward(80_000);
      await other.inbox.next("disconnect");
      await live.say("Still here");

      expect([watched.calls, statuses]).to.deep.equal([1, ["connecting", "online"]]);
    });

    it("ends when the server has ended it, and says so", async () => {
      const user = await buildUser();
      const hubbub = await clientOf(user);
      const reasons: string[] = [];
      hubbub.on("logout", ({ reason }) => reasons.push(reason));
      await hubbub.restore();
      await until("it is connected", () => hubbub.status === "online");

      await service.call("delete", `/auth/sessions/${user.sessionId}`, { token: user.token });

      await until("it is logged out", () => reasons.length > 0);
      expect(reasons).to.deep.equal(["REFRESH_TOKEN_INVALID"]);
      expect([hubbub.status, hubbub.user]).to.deep.equal(["offline", null]);
    });
  });

  describe("a call", () => {
    it("has one effect when its answer is lost", async () => {
      const [room, gift, sender] = await Promise.all([buildRoom(), buildGift({ price: 5 }), buildUser({ coins: 100 })]);
      const watched = watchedFetch("/gifts");
      const hubbub = await clientOf(sender, { fetch: watched.fetch });
      const live = await hubbub.rooms.join(room.id);
      await joinVoiceRoom(service.url, room.host.token, room.id);
      watched.lose = 2;

      const sent = await live.gift({ gift_id: gift.id, recipient_id: room.host.id, quantity: 3 });

      expect([sent.total_coins, watched.calls]).to.deep.equal([15, 3]);
      expect((await hubbub.wallet.get()).balance).to.equal(85);
    });

    it("is not repeated when it could have two effects, and fails when the server can't be reached", async () => {
      const user = await buildUser();
      const watched = watchedFetch("/posts");
      const hubbub = await clientOf(user, { fetch: watched.fetch });
      watched.lose = 1;

      const posted = await codeOf(hubbub.posts.create({ content: "Good evening!" }));
      network.takeDown();
      const unreachable = await codeOf((await clientOf(user, { retries: 1 })).users.me());

      expect([posted, watched.calls, unreachable]).to.deep.equal(["NETWORK_ERROR", 1, "NETWORK_ERROR"]);
    });

    it("gives up after its time and its retries, or when its caller does", async () => {
      const calls: string[] = [];
      const silent: typeof fetch = (url, init) => {
        calls.push(String(url));
        return new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
        );
      };
      const hubbub = createClient({ url: "", fetch: silent, timeout: 20, retries: 1 });
      const page = new AbortController();

      expect(await codeOf(hubbub.config())).to.equal("TIMEOUT");
      expect(calls).to.have.length(2);
      const cancelled = codeOf(hubbub.request("listRooms", { signal: page.signal }));
      page.abort(new Error("The page is closed."));
      expect(await cancelled).to.match(/The page is closed/);
    });

    it("walks through all pages of a list", async () => {
      const user = await buildUser();
      const hubbub = await clientOf(user);
      for (const content of ["one", "two", "three"]) await hubbub.posts.create({ content });

      const posts: string[] = [];
      const input = { params: { id: user.id }, query: { limit: 2 } };
      for await (const post of hubbub.each("listUserPosts", input)) posts.push(post.content);

      expect(posts).to.deep.equal(["three", "two", "one"]);
    });
  });

  for (const [transport, options] of [
    ["Socket.IO", {}],
    ["Colyseus", { colyseus: ColyseusClient }],
  ] as const)
    describe(`a room over ${transport}`, () => {
      it("shows what happens in it, and lets its users act", async () => {
        const [room, guest] = await Promise.all([buildRoom(), buildUser()]);
        const [hosting, visiting] = [await clientOf(room.host, options), await clientOf(guest, options)];
        const hall = await hosting.rooms.join(room.id);
        const live = await visiting.rooms.join(room.id);
        const said: string[] = [];
        hall.on("message", ({ message }) => said.push(message.body));

        await live.say("Good evening!");
        await live.seats.request(3);
        await until("the host sees the request", () => hall.requests.length === 1);
        await hall.seats.approve(hall.requests[0]!.id);
        await until("the guest sits", () => live.state.seats[2]?.user?.id === guest.id);

        expect(said).to.deep.equal(["Good evening!"]);
        expect(hall.requests).to.deep.equal([]);
        expect(await codeOf(live.seats.request(3))).to.equal("ALREADY_SEATED");
        const ended = new Promise((resolve) => live.on("end", resolve));
        await hall.kick(guest.id, { reason: "Shouting" });
        expect(await ended).to.include({ reason: "kicked" });
        expect(await codeOf(live.say("Let me in!"))).to.equal("LEFT_ROOM");
      });

      it("misses nothing when its connection is cut in the middle of a chat", async () => {
        const [room, guest] = await Promise.all([buildRoom(), buildUser()]);
        const hubbub = await clientOf(guest, options);
        const live = await hubbub.rooms.join(room.id);
        const heard: ServerEvents["room:new_message"][] = [];
        live.on("message", (event) => heard.push(event));
        const host = await joinVoiceRoom(service.url, room.host.token, room.id);
        const say = (body: string) => host.ask("room:message", { room_id: room.id, body });

        await say("1");
        network.takeDown();
        const own = live.say("3");
        await say("2");
        network.restore();
        await own;
        network.cut();
        await say("4");
        await until("everything is heard", () => heard.length === 4, 15_000);

        const bodies = heard.map(({ message }) => message.body);
        expect(bodies).to.have.members(["1", "2", "3", "4"]);
        expect(live.messages.map(({ body }) => body)).to.deep.equal(bodies);
        const numbers = heard.map(({ seq }) => seq);
        expect(numbers).to.deep.equal([...numbers].sort((one, other) => one - other));
        const { body } = await service.call("get", `/rooms/${room.id}`, { token: guest.token });
        expect(live.state).to.deep.equal(body.data);
      });
    });

  it("follows a room to a new actor, whether or not the user has a seat", async () => {
    const [room, seated, guest] = await Promise.all([buildRoom(), buildUser(), buildUser()]);
    const lives = await Promise.all([seated, guest].map(async (user) => (await clientOf(user)).rooms.join(room.id)));
    const host = await joinVoiceRoom(service.url, room.host.token, room.id);
    const ask = (event: string, more: object) => host.ask(event, { room_id: room.id, ...more });
    await ask("seat:invite", { user_id: seated.id, seat_no: 3 });
    await lives[0]!.seats.accept();

    // The actor ends, because it isn't the newest any more.
    await raiseEpoch(room.id);
    await ask("seat:lock", { seat_no: 4, locked: true });
    await ask("room:join", {});
    await ask("room:message", { body: "Still here" });

    const view = async ({ token }: BuiltUser) => (await service.call("get", `/rooms/${room.id}`, { token })).body.data;
    await until("both are there", async () => {
      const { members } = await view(room.host);
      return members.length === 3 && members.every(({ connected }: { connected: boolean }) => connected);
    });
    for (const [index, user] of [seated, guest].entries())
      await until("they see it", async () => isDeepStrictEqual(lives[index]!.state, await view(user)));
    await until("both hear it", () => lives.every(({ messages }) => messages.at(-1)?.body === "Still here"));
  });

  it("reads what was said while a room moved, until the server answers and knows them again", async () => {
    const [room, guest] = await Promise.all([buildRoom(), buildUser()]);
    const watched = watchedFetch("/messages?limit=100");
    const live = await (await clientOf(guest, { fetch: watched.fetch, retries: 0 })).rooms.join(room.id);
    const host = await joinVoiceRoom(service.url, room.host.token, room.id);
    const ask = (event: string, more: object) => host.ask(event, { room_id: room.id, ...more });

    network.takeDown();
    await ask("room:message", { body: "Unheard" });
    await raiseEpoch(room.id);
    await ask("seat:lock", { seat_no: 4, locked: true });
    watched.lose = 2;
    watched.refuse = 1;
    network.restore();
    await until("it is read", () => live.messages.at(-1)?.body === "Unheard");

    expect(watched.calls).to.equal(4);
  });

  it("doesn't take a user back from another room that they have joined meanwhile", async () => {
    const [room, other, guest] = await Promise.all([buildRoom(), buildRoom(), buildUser()]);
    const live = await (await clientOf(guest)).rooms.join(room.id);
    const ended = new Promise((resolve) => live.on("end", resolve));

    network.takeDown();
    await service.call("post", `/rooms/${other.id}/join`, { token: guest.token, body: {} });
    network.restore();

    expect(await ended).to.deep.equal({ reason: "moved" });
  });

  it("plays a game: lobby, turns, and the typed board", async () => {
    const [host, guest] = await Promise.all([buildUser(), buildUser()]);
    const [hosting, visiting] = [await clientOf(host), await clientOf(guest)];
    for (const hubbub of [hosting, visiting]) await hubbub.restore();

    const lobby = await hosting.games.create({ type: "snakes_and_ladders" });
    const seen = await visiting.games.lobby(lobby.id);
    await seen.join();
    await seen.ready();
    await lobby.start();
    await until("the guest sees the start", () => seen.state.session_id !== null);
    const game = await hosting.games.open(lobby.state.session_id!);
    const watched = await visiting.games.open<"snakes_and_ladders">(lobby.state.session_id!);
    const first = game.state.turn?.user_id === host.id ? game : watched;
    await first.act({ kind: "roll" });

    await until("both see the move", () => game.state.version === watched.state.version);
    expect(watched.state.board.last_move?.user_id).to.be.oneOf([host.id, guest.id]);

    network.takeDown();
    const token = game.state.turn?.user_id === host.id ? host.token : guest.token;
    const rolled = await service.call("post", `/games/sessions/${game.id}/action`, { token, body: { kind: "roll" } });
    network.restore();
    await until("they see what they have missed", () =>
      [game, watched].every(({ state }) => state.version >= rolled.body.data.version),
    );
  });

  it("calls the admin API, until its token has ended", async () => {
    const { email, password } = await buildAdmin();
    const admin = createAdmin({ url: service.url });
    const reasons: string[] = [];
    admin.on("logout", ({ reason }) => reasons.push(reason));

    const wrong = await outcome(admin.request("logInAdmin", { body: { email, password: "wrong" } }));
    expect(wrong.error?.code).to.equal("INVALID_CREDENTIALS");
    expect((await admin.login({ email, password })).email).to.equal(email);
    expect((await admin.request("listReports", { query: { status: "open" } })).page).to.equal(1);
    const file = await admin.request("listReports", { query: { format: "csv" }, timeout: 30_000 });
    expect(file).to.match(/^id,target_type,/);
    const { serviceId } = await buildCard({ codes: 0 });
    const report = await admin.request("importCodes", {
      params: { id: String(serviceId) },
      body: "code\nABCD-1234\nABCD-1234\n",
    });
    expect(report).to.include({ accepted: 1, duplicate: 1 });
    await admin.request("logOutAdmin");

    expect(await codeOf(admin.request("listReports"))).to.equal("UNAUTHENTICATED");
    expect([reasons, await admin.isLoggedIn()]).to.deep.equal([["TOKEN_EXPIRED"], false]);
  });
});
