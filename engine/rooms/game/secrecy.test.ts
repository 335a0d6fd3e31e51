import { expect } from "chai";
import type { GameName } from "#shared/contracts/games/games.ts";
import type { Session, UserCard } from "#shared/contracts/views.ts";
import { OwnPosition } from "#shared/domain/live/games/game.ts";
import { type Played, publicSession, sessionFor } from "#shared/domain/live/games/games.queries.ts";
import { ownGames } from "#shared/domain/live/games/games.ts";
import { newSeed } from "#shared/domain/live/games/random.ts";
import type { SessionRow } from "#shared/domain/live/games/session-state.ts";
import { type AnyRules, isOver, takeAction } from "#shared/extension/game.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { Canaries, LeakError, type Secrets, secretsOf } from "#shared/testing/games/game-canaries.ts";
import {
  type Choose,
  chooser,
  type GameStep,
  lucky,
  type OpenGame,
  playGame,
} from "#shared/testing/games/play-game.ts";
import { GameState, projectGame } from "./game.state.ts";

/** `npm run loadtest -- game-secrets` watches a thousand of each, over all transports. */
const gamesEach = 300;
const people = ["ann", "bob", "cy", "dee", "eve", "fay", "gus", "hal"];

const cardOf = (id: string): UserCard => ({
  id,
  username: id,
  full_name: id,
  avatar_url: null,
  country: null,
  is_online: true,
  vip: null,
  frame: null,
});

/**
 * What leaves the server of a game: what each player and a spectator are shown, and what native clients have patched.
 */
class Watched {
  readonly canaries = new Canaries(newSeed());
  readonly secrets: Secrets;
  readonly #mirror = new GameState();
  #checks = 0;
  readonly #row: Omit<SessionRow, "state">;
  readonly #game: OpenGame;
  readonly #players: readonly string[];
  seen = 0;

  constructor(game: OpenGame, players: readonly string[]) {
    const type = game.meta.type as GameName;
    this.#game = game;
    this.secrets = secretsOf(type, this.canaries);
    this.#players = players;
    const row = { id: "session", lobby_id: "lobby", room_id: null, status: "active", finished_at: null } as const;
    this.#row = { ...row, type, seed: this.canaries.seed, epoch: 1 };
  }

  rowOf(board: object, status: SessionRow["status"] = "active"): Played {
    const position = new OwnPosition(this.#game, board);
    const state = { players: this.#players, board, version: 1, draws: [], actionIds: {} };
    return {
      ...this.#row,
      status,
      finished_at: status === "active" ? null : "2026-11-21T00:00:00.000Z",
      state,
      position,
    };
  }

  /** Everything that is shown of a board, by viewer; the spectator's is the public view. */
  #views(board: object, status?: SessionRow["status"]): { shared: string; you: Map<string, string> } {
    const row = this.rowOf(board, status);
    const shared = publicSession(row, new Set(this.#players), cardOf);
    assert(sessionFor(shared, row, "a spectator") === shared, "a spectator sees what everybody may see");
    const you = this.#players.map((userId) => {
      const view = sessionFor(shared, row, userId);
      assert(view.board === shared.board && view.players === shared.players, "players differ in `you` alone");
      return [userId, JSON.stringify(view.you)] as const;
    });
    return { shared: JSON.stringify(shared), you: new Map(you) };
  }

  /** It is made of the public view and of nothing else, so some of them are enough. */
  #checkMirror(shared: Session): void {
    this.#checks += 1;
    if (this.#checks % 8 !== 1) return;
    projectGame(this.#mirror, shared);
    this.canaries.check(JSON.stringify(this.#mirror.toJSON()));
    this.seen += 1;
  }

  check(board: object, status?: SessionRow["status"]): void {
    const { shared, you } = this.#views(board, status);
    for (const left of [shared, ...you.values()]) this.canaries.check(left);
    this.seen += you.size + 1;
    this.#checkMirror(JSON.parse(shared) as Session);
    for (const userId of ["a spectator", ...this.#players]) {
      const disguised = this.secrets.disguise(board, userId);
      if (disguised === board) {
        // A player who is shown something of their own has something that others may not see.
        for (const own of you.values())
          assert(own === "{}", "shared/testing/game-canaries.ts says what the game hides");
        return;
      }
      const other = this.#views(disguised, status);
      if (other.shared !== shared || other.you.get(userId) !== you.get(userId))
        throw new LeakError(`${userId} sees a difference although only hidden data differs: ${shared}`);
    }
  }
}

/** A user tries what is mostly not allowed; the answer must not help them. */
function tryAnything(
  game: OpenGame,
  { before, nowMs }: GameStep<object>,
  players: readonly string[],
  watched: Watched,
  choose: Choose,
) {
  const userId = [...players, "a stranger"][choose(players.length + 1)]!;
  const [kind, wrongKind] = [Object.keys(game.actions)[0]!, "wave"];
  const action = {
    kind: choose(8) === 0 ? wrongKind : kind,
    card: choose(24),
    question: choose(10),
    option: choose(4),
    piece: choose(4),
    prompt: "dare",
  };
  try {
    takeAction(game, before, userId, action, { random: { below: () => 0 }, nowMs });
  } catch (error) {
    if (!(error instanceof DomainError)) return;
    watched.canaries.check(JSON.stringify(error.toFailure()));
    watched.seen += 1;
  }
}

/** Plays one game from beginning to end, or until it is abandoned, and looks at all that leaves the server. */
function watchGame(game: OpenGame, number: number): number {
  const { min_players, max_players } = game.meta;
  const players = people.slice(0, min_players + (number % (max_players - min_players + 1)));
  const choose = chooser(number);
  const watched = new Watched(game, players);
  const abandonedAfter = number % 10 === 0 ? choose(30) : Number.POSITIVE_INFINITY;
  let steps = 0;
  const planted: OpenGame = {
    ...lucky(game, () => choose(3) > 0),
    setup: (userIds, chance) => {
      const board = watched.secrets.plant(game.setup(userIds, chance));
      watched.check(board);
      return board;
    },
    end: (board) => (steps > abandonedAfter ? [] : game.end(board)),
  };
  const last = playGame(planted, { players, seed: watched.canaries.seed, choose }, (step) => {
    if (choose(4) === 0) tryAnything(game, step, players, watched, choose);
    watched.secrets.follow(step);
    watched.check(step.after);
    steps += 1;
  });
  watched.check(last, isOver(game, last) ? "finished" : "abandoned");
  return watched.seen;
}

describe("what a player may not see", () => {
  for (const game of ownGames.values())
    it(`never leaves ${gamesEach} games of ${game.meta.type}`, function () {
      this.timeout(120_000);
      let seen = 0;
      for (let number = 0; number < gamesEach; number += 1) seen += watchGame(game, number);
      // The least there is to see: the first and the last board, by two players and a spectator.
      expect(seen).to.be.at.least(gamesEach * 6);
    });

  it("is found when a game shows it", () => {
    const finds = (type: string, part: Partial<AnyRules["view"]>) => {
      const real = ownGames.get(type)!;
      const leaky = { ...real, view: { ...real.view, ...part } };
      expect(() => [1, 2, 3, 4].map((number) => watchGame(leaky, number))).to.throw(LeakError);
    };
    const { view } = ownGames.get("memory")!;
    finds("memory", { board: (board) => ({ ...view.board(board), ...board }) });
    finds("memory", { you: (board) => ({ next: (board as { cards: object[] }).cards[5] }) });
    finds("trivia", {
      you: (board) => ({ hint: (board as { questions: { right: number }[] }).questions[0]!.right }),
    });
    finds("trivia", { you: (board) => ({ others: (board as { answers: object[] }).answers }) });
  });
});
