import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { Session } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { ownGames } from "#shared/domain/live/games/games.ts";
import { drawOf, hashSeed, newSeed, SeededRandom } from "#shared/domain/live/games/random.ts";
import { findSession, insertSession } from "#shared/domain/live/games/session-state.ts";
import type { GameAction } from "#shared/extension/game.ts";
import { assert } from "#shared/kernel/assert.ts";
import { newId } from "#shared/kernel/ids.ts";
import { Canaries, LeakError, type Secrets, secretsOf } from "./game-canaries.ts";
import type { GameClient, TransportName, Watcher } from "./game-clients.ts";
import { type Choose, lucky } from "./play-game.ts";

/** Creates a game in the database with markers in all hidden data. Its actor loads this state. */
interface Planted {
  readonly sessionId: string;
  readonly canaries: Canaries;
  readonly secrets: Secrets;
}

async function plantGame(type: string, userIds: readonly string[], roomId: string): Promise<Planted> {
  const seed = newSeed();
  const canaries = new Canaries(seed);
  const secrets = secretsOf(type, canaries);
  const random = new SeededRandom(seed);
  const game = ownGames.get(type)!;
  const board = secrets.plant(game.setup(userIds, { random, nowMs: Date.now() }));
  const sessionId = await inTransaction(async (tx) => {
    const lobbyId = newId();
    const players = JSON.stringify(userIds.map((userId) => ({ userId, ready: true })));
    await tx.query(
      "INSERT INTO game_lobbies (id, type, room_id, host_id, status, players) VALUES ($1, $2, $3, $4, 'in_game', $5)",
      [lobbyId, type, roomId, userIds[0], players],
    );
    const state = { players: userIds, board, version: 1, draws: random.draws, actionIds: {} };
    const dueMs = game.deadlineMs(board);
    const id = newId();
    await insertSession(tx, { id, lobbyId, type, roomId, seed, state, dueMs });
    await tx.query("UPDATE game_lobbies SET session_id = $2 WHERE id = $1", [lobbyId, id]);
    return id;
  });
  return { sessionId, canaries, secrets };
}

/** The players of a game, and a spectator in its room. */
export interface WatchedTable {
  readonly players: readonly Watcher[];
  readonly spectator: Watcher;
  readonly roomId: string;
}

interface Options {
  readonly type: string;
  readonly choose: Choose;
  /**
   * How often a player of memory misses on purpose, one in this many. Rare, because cards that don't match stay open
   * for two seconds.
   */
  readonly missOnceIn: number;
  /** Stops the game after this many rounds of actions. */
  readonly roundsMax?: number;
}

const transports: readonly TransportName[] = ["socket", "native", "rest"];

/** What was searched. */
export interface Looked {
  frames: number;
  errors: number;
  actions: number;
}

/**
 * Plays a game over all three transports with a spectator on each, and searches every frame and response for markers
 * and the seed before they are revealed. Then requests the seed and verifies the draws.
 * @throws LeakError
 */
export async function watchGame(table: WatchedTable, options: Options): Promise<Looked> {
  const { type, choose } = options;
  const ids = table.players.map(({ person }) => person.id);
  const planted = await plantGame(type, ids, table.roomId);
  const watched = new WatchedGame(planted, type);
  const everybody = [...table.players, table.spectator];
  for (const watcher of everybody) watcher.watch(watched.record, watched.see);
  const rooms = await Promise.all([table.spectator.joinNatively(planted.sessionId)]);
  const shift = choose(transports.length);
  const entered = await Promise.all(
    table.players.map((watcher, index) =>
      watcher.enter(transports[(index + shift) % transports.length]!, planted.sessionId),
    ),
  );
  const path = `/games/sessions/${planted.sessionId}`;
  for (const watcher of everybody) watched.see((await watcher.rest("GET", path)).data!);
  await watched.play(entered, [await table.spectator.enter("socket", planted.sessionId)], options);
  for (const watcher of everybody) {
    await watcher.rest("GET", path);
    await watcher.rest("GET", "/games/history");
    if (watched.state.status === "active") await watcher.rest("GET", `${path}/proof`);
  }
  if (watched.state.status !== "active") await checkProof(table.players[0]!, `${path}/proof`, watched);
  for (const room of rooms) await room.leave();
  watched.assertClean();
  return watched.looked;
}

async function checkProof(player: Watcher, path: string, { canaries, state }: WatchedGame): Promise<void> {
  canaries.revealSeed();
  const { data } = await player.rest("GET", path);
  const { seed, seed_hash, draws } = data as unknown as {
    seed: string;
    seed_hash: string;
    draws: { purpose: string; value: number }[];
  };
  assert(seed === canaries.seed && seed_hash === hashSeed(seed) && seed_hash === state.seed_hash, "the seed is shown");
  draws.forEach(({ purpose, value }, index) => {
    assert(value === drawOf(seed, index, Number(purpose.split(" of ")[1])), `draw ${index}, ${purpose}, is the seed's`);
  });
}

/** A game, as seen by its players and spectators. */
class WatchedGame {
  readonly canaries: Canaries;
  readonly looked: Looked = { frames: 0, errors: 0, actions: 0 };
  readonly #planted: Planted;
  readonly #type: string;
  readonly #failures: unknown[] = [];
  #state: Session | undefined;
  #wake: () => void = () => {};

  constructor(planted: Planted, type: string) {
    this.#planted = planted;
    this.#type = type;
    this.canaries = planted.canaries;
  }

  get state(): Session {
    assert(this.#state, "a state of the game has been received");
    return this.#state;
  }

  readonly record = (left: string): void => {
    this.looked.frames += 1;
    this.#keepFailure(() => this.canaries.check(left));
  };

  readonly see = (state: Session): void => {
    if (state.id !== this.#planted.sessionId) return;
    this.#keepFailure(() => checkShown(this.#type, state));
    if (this.#state && state.version < this.#state.version) return;
    this.#state = state;
    this.#wake();
  };

  #keepFailure(look: () => void): void {
    try {
      look();
    } catch (error) {
      this.#failures.push(error);
    }
  }

  /** @throws LeakError for the first leak */
  assertClean(): void {
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async play(players: readonly GameClient[], others: readonly GameClient[], options: Options): Promise<void> {
    const { choose, roundsMax = Number.POSITIVE_INFINITY } = options;
    for (let round = 0; this.state.status === "active" && round < roundsMax; round += 1) {
      this.assertClean();
      const { version } = this.state;
      const legal = await this.#legalActions(options);
      const next = players.flatMap((client) => {
        const all = legal(client.person.id);
        const action = all[choose(all.length)] as GameActionInput | undefined;
        return action ? [{ client, action }] : [];
      });
      if (choose(5) === 0)
        await this.#tryAnything(
          [...players, ...others],
          next.map(({ client }) => client),
          choose,
        );
      if (next.length === 0 && this.state.version === version)
        await new Promise<void>((resolve) => (this.#wake = resolve));
      const answers = await Promise.all(next.map(({ client, action }) => this.#act(client, action)));
      const refused = answers.find(({ success }) => !success);
      // After a delay, the server may have acted in between.
      if (refused) assert(this.state.version > version, `a legal action was refused: ${JSON.stringify(refused.error)}`);
    }
  }

  /** Applies the rules to the stored game, which is at least as recent as what was shown. */
  async #legalActions({ choose, missOnceIn }: Options): Promise<(userId: string) => readonly GameAction[]> {
    const row = await findSession(this.#planted.sessionId);
    const game = lucky(ownGames.get(this.#type)!, () => choose(missOnceIn) > 0);
    return (userId) => game.legal(row!.state.board, userId);
  }

  #act(client: GameClient, action: GameActionInput) {
    this.#planted.secrets.ask(action);
    this.looked.actions += 1;
    return client.act(action, newId());
  }

  /** Sends an action of a player who can't act. */
  async #tryAnything(all: readonly GameClient[], able: readonly GameClient[], choose: Choose): Promise<void> {
    const unable = all.filter((client) => !able.includes(client));
    const client = unable[choose(unable.length)];
    if (!client) return;
    const tries: GameActionInput[] = [
      { kind: "flip", card: choose(24) },
      { kind: "roll" },
      { kind: "move", piece: choose(4) },
      { kind: "prompt_pick", prompt: "truth" },
      { kind: "show", everything: true },
    ];
    const answer = await client.act(tries[choose(tries.length)]!);
    assert(!answer.success, "what is not allowed is refused");
    this.looked.errors += 1;
  }
}

/** Checks that a state shows only open cards. @throws LeakError */
function checkShown(type: string, { board, you, turn: _turn, ...rest }: Session): void {
  const marks = (value: unknown) => JSON.stringify(value).match(/canary-[0-9a-f]{8}-\d{4}/g) ?? [];
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new LeakError(`${what}: ${JSON.stringify(board)}`);
  };
  must(marks(you).length + marks(rest).length === 0, "marks are on the board alone");
  if (type === "memory") {
    const { cards } = board as { cards: { state: string; face: string | null }[] };
    must(
      cards.every(({ state, face }) => (face === null) === (state === "closed")),
      "closed cards have no face",
    );
    must(marks(board).length === cards.filter(({ state }) => state !== "closed").length, "no other face is shown");
  }
  if (type === "trivia") {
    const { question, last_round } = board as {
      question: { index: number } | null;
      last_round: { index: number } | null;
    };
    must(marks(board).length === (question ? 5 : 0), "one question is shown, and its four options");
    must(!question || !last_round || last_round.index === question.index - 1, "the last round is over");
  }
}
