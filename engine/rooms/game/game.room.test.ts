import { Callbacks } from "@colyseus/sdk";
import { expect } from "chai";
import { hashSeed, SeededRandom } from "#shared/domain/live/games/random.ts";
import {
  closeClients,
  codeOf,
  connectSocket,
  joinNative,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { block } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("a game", () => {
  const service = useService();
  const time = useClock();
  let ada: BuiltUser;
  let grace: BuiltUser;
  let adaSocket: SocketClient;
  let graceSocket: SocketClient;

  beforeEach(async () => {
    [ada, grace] = await Promise.all([buildUser(), buildUser()]);
    adaSocket = await connectSocket(service.url, ada.token);
    graceSocket = await connectSocket(service.url, grace.token);
  });
  afterEach(closeClients);

  const post = (user: BuiltUser, path: string, body: object = {}) =>
    service.call("post", `/games${path}`, { token: user.token, body });

  /** A lobby of Ada's that Grace has joined, begun. */
  async function begin(type: string, room_id?: string): Promise<Payload> {
    const opened = await post(ada, "/lobbies", { type, ...(room_id && { room_id }) });
    const lobby_id = opened.body.data.id;
    await post(grace, `/lobbies/${lobby_id}/join`);
    await post(grace, `/lobbies/${lobby_id}/ready`);
    const started = await post(ada, `/lobbies/${lobby_id}/start`);
    expect(started.body.data?.status, JSON.stringify(started.body)).to.equal("in_game");
    return started.body.data;
  }
  const stateOf = async (user: BuiltUser, session_id: string): Promise<Payload> =>
    (await service.call("get", `/games/sessions/${session_id}`, { token: user.token })).body.data;

  it("is one of five games, whose rules clients can read", async () => {
    const { body } = await service.call("get", "/games/types", { token: ada.token });
    expect(body.data.map(({ type }: Payload) => type)).to.include.members([
      "ludo",
      "snakes_and_ladders",
      "trivia",
      "memory",
      "truth_or_dare",
    ]);
  });

  it("accepts actions of its native clients without its ID, and an action's ID beside the action or in it", async () => {
    const { session_id } = await begin("memory");
    const native = await joinNative(service.url, ada.token, { session_id } as never, "game_session");
    const flip = { kind: "flip", card: 0 };

    const first = await native.ask("game:action", { action: { ...flip, action_id: "a-1" } });
    const beside = await adaSocket.ask("game:action", { session_id, action: flip, action_id: "a-1" });
    const over = await post(ada, `/sessions/${session_id}/action`, { ...flip, action_id: "a-1" });

    expect(first.success, JSON.stringify(first.error)).to.equal(true);
    expect([beside.data.version, over.body.data.version]).to.deep.equal([first.data.version, first.data.version]);
  });

  describe("in an open lobby", () => {
    let lobby_id: string;
    const start = (user: BuiltUser) => post(user, `/lobbies/${lobby_id}/start`);
    beforeEach(async () => {
      const opened = await post(ada, "/lobbies", { type: "ludo" });
      expect(opened.status).to.equal(201);
      lobby_id = opened.body.data.id;
    });

    it("doesn't start without enough players", async () => {
      expect(codeOf((await start(ada)).body)).to.equal("NOT_ENOUGH_PLAYERS");
    });

    it("doesn't start before all players are ready, or for a player who isn't the host", async () => {
      const joined = await graceSocket.ask("lobby:join", { lobby_id });
      expect(joined.data.players).to.have.length(2);

      expect(codeOf((await start(ada)).body)).to.equal("PLAYERS_NOT_READY");
      expect(codeOf((await start(grace)).body)).to.equal("FORBIDDEN");
    });

    it("starts when all players are ready, and sends its first state", async () => {
      await graceSocket.ask("lobby:join", { lobby_id });
      await graceSocket.ask("lobby:ready", { lobby_id });
      await adaSocket.inbox.next("lobby:updated", ({ lobby }) => lobby.players[1]?.ready === true);

      const { session_id } = (await start(ada)).body.data;

      const { state } = await graceSocket.inbox.next("game:state", (event) => event.session_id === session_id);
      expect(state).to.deep.include({ status: "active", version: 1 });
      expect(state.turn.user_id).to.equal(ada.id);
    });

    it("admits no players after the start", async () => {
      await graceSocket.ask("lobby:join", { lobby_id });
      await graceSocket.ask("lobby:ready", { lobby_id });
      await start(ada);

      const late = await post(await buildUser(), `/lobbies/${lobby_id}/join`);

      expect(codeOf(late.body)).to.equal("LOBBY_NOT_OPEN");
    });
  });

  it("is played to its end over three transports, and proves its dice", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const native = await joinNative(service.url, grace.token, { session_id } as never, "game_session");
    // Colyseus ends a native connection that sends more than a hundred messages in one second.
    const nativeTurns = 80;
    let state = await stateOf(ada, session_id);
    for (let turn = 0; state.status === "active"; turn += 1) {
      const action = { kind: "roll" };
      if (state.turn.user_id === ada.id) {
        const answer =
          turn % 4 === 0
            ? (await post(ada, `/sessions/${session_id}/action`, action)).body
            : await adaSocket.ask("game:action", { session_id, action });
        state = answer.data;
      } else if (turn < nativeTurns) state = (await native.ask("game:action", { session_id, action })).data;
      else state = (await graceSocket.ask("game:action", { session_id, action })).data;
    }
    expect(state.status).to.equal("finished");
    expect(state.result.standings.map(({ place }: { place: number }) => place).sort()).to.deep.equal([1, 2]);
    const refused = await adaSocket.ask("game:action", { session_id, action: { kind: "roll" } });
    expect(codeOf(refused)).to.equal("SESSION_FINISHED");
    await until("the native state follows", () => native.room.state.status === "finished");
    const proof = (await service.call("get", `/games/sessions/${session_id}/proof`, { token: ada.token })).body.data;
    expect(hashSeed(proof.seed)).to.equal(state.seed_hash);
    const again = new SeededRandom(proof.seed);
    for (const { value } of proof.draws) expect(again.below(6, "die")).to.equal(value);
    const history = await service.call("get", "/games/history", { token: grace.token });
    expect(history.body.data.items[0]).to.include({ session_id, type: "snakes_and_ladders", status: "finished" });
  });

  it("rejects an action out of turn, an unknown one, and one with unknown fields", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const act = async (socket: SocketClient, action: object) =>
      codeOf(await socket.ask("game:action", { session_id, action } as never));

    expect(await act(graceSocket, { kind: "roll" })).to.equal("NOT_YOUR_TURN");
    expect(await act(adaSocket, { kind: "fly" })).to.equal("ILLEGAL_ACTION");
    expect(await act(adaSocket, { kind: "roll", dice: 6 })).to.equal("VALIDATION_ERROR");
  });

  it("doesn't exist for users who don't play it", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const stranger = await buildUser();

    const view = await service.call("get", `/games/sessions/${session_id}`, { token: stranger.token });
    const action = await post(stranger, `/sessions/${session_id}/action`, { kind: "roll" });

    expect([view, action].map(({ body }) => codeOf(body))).to.deep.equal(["NOT_FOUND", "NOT_FOUND"]);
  });

  it("executes an action with the same ID once", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const roll = { session_id, action: { kind: "roll" }, action_id: "a1" };

    const replies = await Promise.all([1, 2, 3].map(() => adaSocket.ask("game:action", roll)));

    expect(replies.map(({ data }) => data.version)).to.deep.equal([2, 2, 2]);
    expect((await stateOf(ada, session_id)).version).to.equal(2);
  });

  it("keeps its seed secret while it is active", async () => {
    const { session_id } = await begin("snakes_and_ladders");

    const proof = await service.call("get", `/games/sessions/${session_id}/proof`, { token: ada.token });

    expect(codeOf(proof.body)).to.equal("CONFLICT");
  });

  it("acts on behalf of a player whose turn has timed out", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    time.forward(21_000);
    const { state } = await graceSocket.inbox.next("game:state", (event) => event.state.version === 2, 8000);
    expect(state.turn.user_id).to.equal(grace.id);
    expect(state.board.last_move.user_id).to.equal(ada.id);
    expect(session_id).to.be.a("string");
  });

  it("is shown to the room that it belongs to, and ends with it", async () => {
    const room = await buildRoom({ host: ada });
    const watcher = await connectSocket(service.url, (await buildUser()).token);
    for (const client of [adaSocket, graceSocket, watcher]) await client.ask("room:join", { room_id: room.id });
    const outsider = await buildUser();
    const refused = await post(outsider, "/lobbies", { type: "memory", room_id: room.id });
    expect(refused.body.error.code).to.equal("NOT_A_MEMBER");
    const { session_id, id } = await begin("memory", room.id);
    await watcher.inbox.next("lobby:updated", ({ lobby }) => lobby.id === id && lobby.status === "in_game");
    await adaSocket.ask("game:action", { session_id, action: { kind: "flip", card: 3 } });
    const { state } = await watcher.inbox.next("game:state", (event) => event.state.version === 2);
    expect(state.you).to.equal(null);
    expect(state.board.cards[3].face).to.be.a("string");
    expect(state.board.cards[4].face).to.equal(null);
    expect(adaSocket.inbox.of("game:state").filter((event) => event.state.version === 2)).to.have.length(1);
    await service.call("delete", `/rooms/${room.id}`, { token: ada.token });
    const ended = await graceSocket.inbox.next("game:state", (event) => event.state.status === "abandoned");
    expect(ended.state.result.reason).to.equal("abandoned");
  });

  it("includes the players who are still in the lobby's room", async () => {
    const room = await buildRoom({ host: ada });
    const eve = await buildUser();
    const eveSocket = await connectSocket(service.url, eve.token);
    for (const client of [adaSocket, graceSocket, eveSocket]) await client.ask("room:join", { room_id: room.id });
    const lobby_id = (await post(ada, "/lobbies", { type: "memory", room_id: room.id })).body.data.id;
    for (const user of [grace, eve]) await post(user, `/lobbies/${lobby_id}/join`);
    await post(grace, `/lobbies/${lobby_id}/ready`);
    await adaSocket.ask("room:kick", { room_id: room.id, user_id: eve.id });
    const started = await post(ada, `/lobbies/${lobby_id}/start`);
    const players = started.body.data.players.map(({ user }: { user: { id: string } }) => user.id);
    expect(players).to.deep.equal([ada.id, grace.id]);
    const { state } = await graceSocket.inbox.next("game:state");
    expect(state.players.map(({ user }: { user: { is_online: boolean } }) => user.is_online)).to.deep.equal([
      true,
      true,
    ]);
    const left = (await post(ada, "/lobbies", { type: "memory", room_id: room.id })).body.data.id;
    await adaSocket.ask("room:leave", { room_id: room.id });
    expect(codeOf((await post(ada, `/lobbies/${left}/start`)).body)).to.equal("NOT_A_MEMBER");
  });

  it("hides its lobby from users between whom and the host a block stands", async () => {
    const lobby_id = (await post(ada, "/lobbies", { type: "ludo" })).body.data.id;
    const look = () => service.call("get", `/games/lobbies/${lobby_id}`, { token: grace.token });
    expect((await look()).status).to.equal(200);
    await block(ada, grace);
    expect(codeOf((await look()).body)).to.equal("NOT_FOUND");
    expect(codeOf((await post(grace, `/lobbies/${lobby_id}/join`)).body)).to.equal("BLOCKED");
  });

  it("shows native clients its board by patches, whose callbacks fire", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const { room } = await joinNative(service.url, grace.token, { session_id } as never, "game_session");
    await until("the client sees the board", () => room.state.board?.runners.length === 2);
    const callbacks = Callbacks.get(room as never) as unknown as {
      listen(of: object, field: string, callback: (value: number) => void): void;
      onAdd(of: object, list: string, callback: (item: Payload) => void): void;
    };
    const squares: (readonly [string, number])[] = [];
    callbacks.onAdd(room.state.board, "runners", (runner) =>
      callbacks.listen(runner, "square", (square) => squares.push([runner.user_id, square])),
    );

    await adaSocket.ask("game:action", { session_id, action: { kind: "roll" } });
    await until("a callback has fired", () => squares.length > 2);

    const { board } = await stateOf(ada, session_id);
    const started = [ada, grace].map(({ id }) => [id, 0]);
    expect(squares).to.have.deep.members([...started, [ada.id, board.last_move.to]]);
    expect(room.state.board.last_move.toJSON()).to.deep.equal(board.last_move);
  });

  it("is watched natively by members of its room, for as long as they are there", async () => {
    const room = await buildRoom({ host: ada });
    const watching = await buildUser();
    const watcher = await connectSocket(service.url, watching.token);
    for (const client of [adaSocket, watcher]) await client.ask("room:join", { room_id: room.id });
    await graceSocket.ask("room:join", { room_id: room.id });
    const { session_id } = await begin("snakes_and_ladders", room.id);
    const join = (user: BuiltUser) => joinNative(service.url, user.token, { session_id } as never, "game_session");
    const native = await join(watching);
    await until("the client sees the game", () => native.room.state.status === "active");
    const roll = { session_id, action: { kind: "roll" } };
    expect(codeOf(await native.ask("game:action", roll))).to.equal("FORBIDDEN");
    await adaSocket.ask("game:action", roll);
    await until("the client sees the change", () => native.room.state.version === 2);
    await watcher.ask("room:leave", { room_id: room.id });
    await native.inbox.next("leave", (end) => end.code === 4403, 9000);
    const refused = await join(watching).catch((error: unknown) => String(error));
    expect(refused).to.include("NOT_FOUND");
    expect((await stateOf(grace, session_id)).version).to.equal(2);
  });

  it("shows at once which players connect and disconnect", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    const startedMs = performance.now();
    for (const connected of [false, true, false, true, false]) {
      const seen = adaSocket.inbox.of("game:state").length;
      if (connected) graceSocket = await connectSocket(service.url, grace.token);
      else graceSocket.close();
      await until(`the game shows connected: ${connected}`, () =>
        adaSocket.inbox
          .of("game:state")
          .slice(seen)
          .some(({ state }) => state.id === session_id && state.players[1].connected === connected),
      );
    }
    // It looks by itself every three seconds, too.
    expect(performance.now() - startedMs).to.be.lessThan(7500);
  });

  it("is abandoned when too few are there for a minute", async () => {
    const { session_id } = await begin("snakes_and_ladders");
    graceSocket.close();
    await adaSocket.inbox.next("game:state", ({ state }) => state.players[1].connected === false, 9000);
    time.forward(61_000);
    await adaSocket.inbox.next("game:state", ({ state }) => state.status === "abandoned", 9000);
    expect((await stateOf(ada, session_id)).status).to.equal("abandoned");
  });

  it("ends a lobby when its host leaves", async () => {
    const opened = await post(ada, "/lobbies", { type: "ludo" });
    const lobby_id = opened.body.data.id;
    await post(grace, `/lobbies/${lobby_id}/join`);
    const left = await adaSocket.ask("lobby:leave", { lobby_id });
    expect(left.data.status).to.equal("cancelled");
    await graceSocket.inbox.next("lobby:updated", ({ lobby }) => lobby.status === "cancelled");
    expect(codeOf((await post(grace, `/lobbies/${lobby_id}/ready`)).body)).to.equal("LOBBY_NOT_OPEN");
  });
});
