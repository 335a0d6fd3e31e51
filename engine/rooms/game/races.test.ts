import { expect } from "chai";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import { service as servicePrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { type GameAnswer, type GameClient, type TransportName, Watcher } from "#shared/testing/games/game-clients.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("actions of a game that meet", () => {
  const service = useService();
  const time = useClock();
  let people: BuiltUser[];
  let watchers: Watcher[];

  before(async () => {
    people = await Promise.all(Array.from({ length: 8 }, () => buildUser()));
    watchers = await Promise.all(people.map((person) => Watcher.connect(service.url, person)));
  });
  after(() => {
    for (const watcher of watchers) watcher.close();
  });
  const begun: string[] = [];
  // The number of games per host is limited.
  afterEach(async () => {
    for (const id of begun.splice(0)) await service.actors.game(id, servicePrincipal, "game:abandon", {});
  });

  /** Begins a game of the first so many; each plays over one transport. */
  async function begin(type: string, count: number, transportOf: (index: number) => TransportName) {
    const post = async ({ token }: BuiltUser, path: string, body: object = {}) =>
      (await service.call("post", `/games${path}`, { token, body })).body.data;
    const [host, ...guests] = people.slice(0, count);
    const { id } = await post(host!, "/lobbies", { type });
    for (const guest of guests) {
      await post(guest, `/lobbies/${id}/join`);
      await post(guest, `/lobbies/${id}/ready`);
    }
    const { session_id } = await post(host!, `/lobbies/${id}/start`);
    begun.push(session_id);
    const clients = await Promise.all(
      watchers.slice(0, count).map((watcher, index) => watcher.enter(transportOf(index), session_id)),
    );
    const look = async () => (await watchers[0]!.rest("GET", `/games/sessions/${session_id}`)).data!;
    return { session_id, clients, look };
  }

  /** Everybody does this at the same moment. */
  const atOnce = async (tries: readonly (readonly [GameClient, GameActionInput, string?])[]) => {
    const answers = await Promise.all(tries.map(([client, action, id]) => client.act(action, id)));
    const codes = answers.flatMap(({ error }) => (error ? [error.code] : []));
    return { answers, done: answers.filter(({ success }) => success), codes };
  };
  const roll = { kind: "roll" };
  const all: readonly TransportName[] = ["socket", "native", "rest"];
  const ways: readonly (readonly [string, (index: number) => TransportName])[] = [
    ...all.map((transport) => [transport, () => transport] as const),
    ["a mix of transports", (index) => all[index % 3]!],
  ];

  for (const [name, transportOf] of ways) {
    it(`have one effect: two players by ${name}`, async () => {
      const { clients, look } = await begin("snakes_and_ladders", 2, transportOf);
      const [ada, grace] = clients as [GameClient, GameClient];
      const first = await atOnce([
        [ada, roll],
        [ada, roll],
        [ada, roll],
        [ada, roll],
      ]);
      expect([first.done.length, first.codes]).to.deep.equal([1, Array(3).fill("NOT_YOUR_TURN")]);
      expect((await look()).version).to.equal(2);
      const same = await atOnce([
        [grace, roll, "g1"],
        [grace, roll, "g1"],
        [grace, roll, "g1"],
        [ada, { kind: "fly" }],
      ]);
      expect(same.done.map(({ data }) => data!.version)).to.deep.equal([3, 3, 3]);
      expect(same.codes).to.deep.equal(["ILLEGAL_ACTION"]);
      const { clients: others, look: lookAt } = await begin("memory", 2, transportOf);
      const flip = { kind: "flip", card: 7 };
      const card = await atOnce(others.flatMap((client) => [[client, flip] as const, [client, flip] as const]));
      expect(card.done.length).to.equal(1);
      expect(card.codes.sort()).to.deep.equal(["ILLEGAL_ACTION", "NOT_YOUR_TURN", "NOT_YOUR_TURN"]);
      expect((await lookAt()).version).to.equal(2);
    });

    it(`have one effect: eight players by ${name}`, async () => {
      const { clients, look } = await begin("trivia", 8, transportOf);
      const answer = (option: number) => ({ kind: "answer", question: 0, option });
      const twice = await atOnce(
        clients.flatMap((client) => [[client, answer(0)] as const, [client, answer(1)] as const]),
      );
      expect([twice.done.length, twice.codes]).to.deep.equal([8, Array(8).fill("ILLEGAL_ACTION")]);
      const { version, board } = await look();
      const { question, last_round } = board as {
        question: { index: number };
        last_round: { answers: { user_id: string }[] };
      };
      expect([version, question.index]).to.deep.equal([9, 1]);
      expect(last_round.answers.map(({ user_id }) => user_id)).to.have.members(people.map(({ id }) => id));

      const circle = await begin("truth_or_dare", 8, transportOf);
      const pick = { kind: "prompt_pick", prompt: "dare" };
      // All but the second: when the first has chosen, it is the turn of none of these.
      const choosing = [0, 0, 0, 2, 3, 4, 5, 6, 7].map((index) => [circle.clients[index]!, pick] as const);
      const picked = await atOnce(choosing);
      expect([picked.done.length, picked.codes]).to.deep.equal([1, Array(8).fill("NOT_YOUR_TURN")]);
      const state = await circle.look();
      expect([state.version, state.turn!.user_id]).to.deep.equal([2, people[1]!.id]);
    });
  }

  it("fill a lobby to its last place and no further, and start one game", async () => {
    const [host, ...guests] = people as [BuiltUser, ...BuiltUser[]];
    const { id } = (await service.call("post", "/games/lobbies", { token: host.token, body: { type: "memory" } })).body
      .data;
    const step = ({ token }: BuiltUser, name: string) =>
      service.call("post", `/games/lobbies/${id}/${name}`, { token, body: {} });
    const joined = await Promise.all(guests.map((guest) => step(guest, "join")));
    const inside = guests.filter((_, index) => joined[index]!.status === 200);
    expect(inside.length).to.equal(3);
    const codes = joined.flatMap(({ body }) => (body.error ? [body.error.code] : []));
    expect(codes).to.deep.equal(Array(4).fill("LOBBY_FULL"));
    await Promise.all(inside.map((guest) => step(guest, "ready")));
    const started = await Promise.all([1, 2, 3, 4].map(() => step(host, "start")));
    const sessions = started.flatMap(({ body }) => (body.data ? [body.data.session_id] : []));
    expect(sessions.length).to.equal(1);
    begun.push(...sessions);
    const stored = await query("SELECT id FROM game_sessions WHERE lobby_id = $1", [id]);
    expect(stored).to.deep.equal([{ id: sessions[0] }]);
  });

  it("start no second game when the answer to the first start's commit was lost", async () => {
    const [ada, grace] = people as [BuiltUser, BuiltUser];
    const { id } = (await service.call("post", "/games/lobbies", { token: ada.token, body: { type: "memory" } })).body
      .data;
    const step = ({ token }: BuiltUser, name: string) =>
      service.call("post", `/games/lobbies/${id}/${name}`, { token, body: {} });
    await step(grace, "join");
    await step(grace, "ready");
    // Committed, and the actor does not know.
    await query("UPDATE game_lobbies SET status = 'in_game' WHERE id = $1", [id]);
    const codes = [(await step(ada, "start")).body.error?.code, (await step(grace, "ready")).body.error?.code];
    expect(codes).to.deep.equal(["ENGINE_UNAVAILABLE", "LOBBY_NOT_OPEN"]);
    expect(await query("SELECT status FROM game_lobbies WHERE id = $1", [id])).to.deep.equal([{ status: "in_game" }]);
    expect(await query("SELECT id FROM game_sessions WHERE lobby_id = $1", [id])).to.deep.equal([]);
    await query("UPDATE game_lobbies SET status = 'finished' WHERE id = $1", [id]);
  });

  it("and the end of a turn have one effect: a late action is rejected", async () => {
    const { clients, look } = await begin("snakes_and_ladders", 2, () => "socket");
    time.forward(20_001);
    const late = await atOnce([
      [clients[0]!, roll],
      [clients[0]!, roll],
    ]);
    expect([late.done.length, late.codes]).to.deep.equal([0, ["NOT_YOUR_TURN", "NOT_YOUR_TURN"]]);
    const { version, turn, board } = await look();
    expect([version, turn!.user_id]).to.deep.equal([2, people[1]!.id]);
    expect((board as { last_move: { user_id: string } }).last_move.user_id).to.equal(people[0]!.id);

    const quiz = await begin("trivia", 2, () => "native");
    time.forward(15_001);
    const after = await atOnce(
      quiz.clients.map((client) => [client, { kind: "answer", question: 0, option: 0 }] as const),
    );
    expect(after.codes).to.deep.equal(["ILLEGAL_ACTION", "ILLEGAL_ACTION"]);
    const { players, board: shown } = await quiz.look();
    expect(players.map(({ score }) => score)).to.deep.equal([0, 0]);
    expect((shown as { last_round: object }).last_round).to.deep.include({ index: 0, answers: [] });
  });

  it("return the final state when they are repeated after the game", async () => {
    const { session_id, clients, look } = await begin("snakes_and_ladders", 2, (index) => all[index * 2]!);
    expect((await clients[0]!.act(roll, "a1")).success).to.equal(true);
    // The game ends elsewhere: the actor finds that it is not the newest and goes, and there will be no other.
    await query("UPDATE game_sessions SET status = 'finished', finished_at = now(), epoch = epoch + 1 WHERE id = $1", [
      session_id,
    ]);
    const gone = await clients[1]!.act(roll);
    expect(gone.error?.code).to.equal("ENGINE_UNAVAILABLE");
    const codeOf = ({ error }: GameAnswer) => error?.code;
    expect(codeOf(await clients[1]!.act(roll, "g1"))).to.equal("SESSION_FINISHED");
    expect(codeOf(await clients[1]!.act(roll, "a1"))).to.equal("SESSION_FINISHED");
    for (const watcher of [clients[0]!, await watchers[0]!.enter("rest", session_id)]) {
      const again = await watcher.act(roll, "a1");
      expect(again.data, JSON.stringify(again.error)).to.deep.include({ id: session_id, status: "finished" });
    }
    expect((await look()).version).to.equal(2);
  });
});
