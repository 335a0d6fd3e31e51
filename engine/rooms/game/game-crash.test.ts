import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { GameProof, Session } from "#shared/contracts/views/game-views.ts";
import { drawOf, hashSeed } from "#shared/domain/live/games/random.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type GameAnswer, type TransportName, Watcher } from "#shared/testing/games/game-clients.ts";
import { killHard } from "#shared/testing/kill-hard.ts";
import {
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/** One action with the id that it was sent with, and what the server said; nothing when it was cut off. */
interface Entry {
  readonly by: Registered;
  readonly action: GameActionInput;
  readonly id: string;
  acknowledged?: Session;
}

type Choice = (state: Session) => GameActionInput;

/** A game that goes on over crashes, with all that was asked of it. */
interface Going {
  readonly id: string;
  readonly first: Session;
  readonly choose: Choice;
  readonly journal: Entry[];
}

describe("games of a service that is killed with its database", function () {
  this.timeout(120_000);
  let folder: string;
  let service: SpawnedService;
  let ada: Registered;
  let grace: Registered;
  let watchers: Map<string, Watcher>;

  before(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "game-crash-")), "data");
    await start();
    [ada, grace] = await Promise.all([register(service), register(service)]);
    await connect();
  });
  after(async () => {
    disconnect();
    await service.stop();
    await stopServices();
  });

  async function start(): Promise<void> {
    service = await spawnService({ DATA_DIR: folder });
  }
  async function connect(): Promise<void> {
    const both = await Promise.all([ada, grace].map((person) => Watcher.connect(service.url, person)));
    watchers = new Map(both.map((watcher) => [watcher.person.id, watcher]));
  }
  function disconnect(): void {
    for (const watcher of watchers.values()) watcher.close();
  }
  async function crash(): Promise<void> {
    await killHard(service, folder);
    disconnect();
    await start();
    // No game has been requested yet: their actors start automatically.
    await until("the games have actors again", async () => (await gameActors()) === 4);
    await connect();
  }
  async function gameActors(): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(/^hubbub_actors\{kind="game_session"\} (\d+)/m.exec(text)?.[1]);
  }

  const post = async ({ token }: Registered, path: string, body: object = {}) => {
    const answer = await service.call("post", `/games${path}`, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300);
    return answer.body.data;
  };
  const look = async (id: string): Promise<Session> =>
    (await service.call("get", `/games/sessions/${id}`, { token: ada.token })).body.data;

  async function begin(type: string, choose: Choice): Promise<Going> {
    const lobby = await post(ada, "/lobbies", { type });
    await post(grace, `/lobbies/${lobby.id}/join`);
    await post(grace, `/lobbies/${lobby.id}/ready`);
    const { session_id: id } = await post(ada, `/lobbies/${lobby.id}/start`);
    return { id, first: await look(id), choose, journal: [] };
  }

  /** The player whose turn it is acts, over this transport, until the game is over or the service no longer answers. */
  async function play({ id, choose, journal }: Going, transport: TransportName, pace = async () => {}): Promise<void> {
    const clients = new Map<string, Awaited<ReturnType<Watcher["enter"]>>>();
    for (const [userId, watcher] of watchers) clients.set(userId, await watcher.enter(transport, id));
    let state = await look(id);
    while (state.status === "active") {
      await pace();
      while (!state.turn) state = await look(id);
      const by = [ada, grace].find((person) => person.id === state.turn!.user_id)!;
      const entry: Entry = { by, action: choose(state), id: newId() };
      journal.push(entry);
      const answer = await clients.get(by.id)!.act(entry.action, entry.id);
      expect(answer.success, JSON.stringify(answer.error)).to.equal(true);
      entry.acknowledged = answer.data!;
      state = answer.data!;
    }
  }

  const known = ({ journal }: Going) => journal.filter(({ acknowledged }) => acknowledged).length;

  /**
   * Plays all of them until so much was acknowledged, and kills the service while each is in the midst of an action.
   */
  async function playUntilKilled(games: readonly [Going, TransportName][]): Promise<void> {
    const before = new Map(games.map(([game]) => [game, known(game)]));
    const since = (game: Going) => known(game) - before.get(game)!;
    const slowest = () => Math.min(...games.map(([game]) => since(game)));
    // None is over before the slowest has begun.
    const { child } = service;
    const isGone = () => child.exitCode !== null || child.signalCode !== null;
    const pace = (game: Going) => () =>
      until("the others follow", () => isGone() || since(game) < slowest() + 4, 30_000);
    const playing = games.map(([game, transport]) => play(game, transport, pace(game)).catch(() => "cut off"));
    await until("some of each is acknowledged", () => slowest() >= 6, 30_000);
    await crash();
    await Promise.all(playing);
  }

  const again = async ({ id }: Going, { by, action, id: action_id }: Entry): Promise<GameAnswer> =>
    (await watchers.get(by.id)!.enter("rest", id)).act(action, action_id);

  /** The game stands where it stood, and what was cut off is done once, however often it is asked for. */
  async function mustStandWhereItStood(game: Going): Promise<void> {
    const lastKnown = game.journal.findLast(({ acknowledged }) => acknowledged)!;
    const { version, board } = lastKnown.acknowledged!;
    const state = await look(game.id);
    expect(state.seed_hash).to.equal(game.first.seed_hash);
    expect(state.version).to.be.at.least(version);
    if (state.version === version) expect(state.board).to.deep.equal(board);
    // A repeated action is no other action, taken before the crash or not.
    const repeated = await again(game, lastKnown);
    expect(repeated.success, JSON.stringify(repeated.error)).to.equal(true);
    expect(repeated.data!.version).to.equal(state.version);
    const cutOff = game.journal.findLast(({ acknowledged }) => !acknowledged);
    if (!cutOff || game.journal.indexOf(cutOff) < game.journal.indexOf(lastKnown)) return;
    const answers = [await again(game, cutOff), await again(game, cutOff)];
    // Memory turns its open cards over by itself, so only what follows at once is counted.
    expect(answers[1]!.data?.version).to.equal(answers[0]!.data?.version);
    if (answers[0]!.success) cutOff.acknowledged = answers[0]!.data!;
    else expect(answers[0]!.error?.code).to.equal("NOT_YOUR_TURN");
  }

  const proofOf = async (id: string): Promise<GameProof> =>
    (await service.call("get", `/games/sessions/${id}/proof`, { token: grace.token })).body.data;

  async function mustBeProven({ id, first }: Going): Promise<GameProof> {
    const proof = await proofOf(id);
    expect(hashSeed(proof.seed)).to.equal(first.seed_hash);
    for (const { index, purpose, value } of proof.draws)
      expect(value).to.equal(drawOf(proof.seed, index, Number(purpose.split(" of ")[1])));
    return proof;
  }

  /** No player acts: the first round ends at its deadline from before the crashes, or when the service is back. */
  async function clockMustHaveRun({ id, first }: Going): Promise<void> {
    const endsAt = (state: Session) => (state.board as { question: { ends_at: string } }).question.ends_at;
    let state = await look(id);
    if (state.version === 1) expect(endsAt(state)).to.equal(endsAt(first));
    const ended = async () => {
      state = await look(id);
      return state.version > 1;
    };
    await until("the round ends", ended, 20_000);
    expect(Date.now()).to.be.at.least(Date.parse(endsAt(first)));
    expect((state.board as { last_round: object }).last_round).to.deep.include({ answers: [] });
  }

  it("continue with their seed and their clocks, and execute each action once", async () => {
    const roll: Choice = () => ({ kind: "roll" });
    const flip: Choice = ({ board }) => {
      const { cards } = board as { cards: { card: number; state: string }[] };
      return { kind: "flip", card: cards.find(({ state }) => state === "closed")!.card };
    };
    const waiting = await begin("trivia", () => ({ kind: "answer", question: 0, option: 0 }));
    const [snakes, ludo, memory] = [
      await begin("snakes_and_ladders", roll),
      await begin("ludo", (state) => chooseInLudo(state)),
      await begin("memory", flip),
    ];
    await playUntilKilled([
      [snakes, "socket"],
      [ludo, "native"],
      [memory, "rest"],
    ]);
    for (const game of [snakes, ludo, memory]) await mustStandWhereItStood(game);
    await playUntilKilled([[ludo, "socket"]]);
    for (const game of [ludo, snakes]) await mustStandWhereItStood(game);

    await clockMustHaveRun(waiting);

    await play(snakes, "rest");
    const { draws } = await mustBeProven(snakes);
    const rolls = snakes.journal.flatMap(({ acknowledged }) =>
      acknowledged ? [(acknowledged.board as { last_move: { roll: number } }).last_move.roll] : [],
    );
    const drawn = draws.map(({ value }) => value + 1);
    // The server may have rolled for a player while the service was down; what was acknowledged is in it, in order.
    let at = 0;
    for (const face of drawn) if (face === rolls[at]) at += 1;
    expect(at).to.equal(rolls.length);
  });
});

/** Rolls, or moves the first piece that can. */
function chooseInLudo({ board, turn }: Session): GameActionInput {
  const { roll, players } = board as { roll: number | null; players: { user_id: string; pieces: number[] }[] };
  if (roll === null) return { kind: "roll" };
  const { pieces } = players.find(({ user_id }) => user_id === turn!.user_id)!;
  return { kind: "move", piece: pieces.findIndex((at) => (at === 0 ? roll === 6 : at + roll <= 57)) };
}
