import { expect } from "chai";
import type { GameName } from "#shared/contracts/games/games.ts";
import type { Session, UserCard } from "#shared/contracts/views.ts";
import type { Game } from "#shared/domain/live/games/game.ts";
import { publicSession, sessionFor } from "#shared/domain/live/games/games.queries.ts";
import { games } from "#shared/domain/live/games/games.ts";
import { newSeed } from "#shared/domain/live/games/random.ts";
import type { SessionRow } from "#shared/domain/live/games/session-state.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { Canaries, LeakError, type Secrets, secretsOf } from "#shared/testing/games/game-canaries.ts";
import { type Choose, chooser, type GameStep, lucky, playGame } from "#shared/testing/games/play-game.ts";
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
  readonly #players: readonly string[];
  seen = 0;

  constructor(type: GameName, players: readonly string[]) {
    this.secrets = secretsOf(type, this.canaries);
    this.#players = players;
    const row = { id: "session", lobby_id: "lobby", room_id: null, status: "active", finished_at: null } as const;
    this.#row = { ...row, type, seed: this.canaries.seed, epoch: 1 };
  }

  rowOf(board: object, status: SessionRow["status"] = "active"): SessionRow {
    const state = { players: this.#players, board, version: 1, draws: [], actionIds: {} };
    return { ...this.#row, status, finished_at: status === "active" ? null : "2026-11-21T00:00:00.000Z", state };
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
  game: Game,
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
    game.act(before, userId, action, { random: { below: () => 0 }, nowMs });
  } catch (error) {
    if (!(error instanceof DomainError)) return;
    watched.canaries.check(JSON.stringify(error.toFailure()));
    watched.seen += 1;
  }
}

/** Plays one game from beginning to end, or until it is abandoned, and looks at all that leaves the server. */
function watchGame(game: Game, number: number): number {
  const { min_players, max_players, type } = game.meta;
  const players = people.slice(0, min_players + (number % (max_players - min_players + 1)));
  const choose = chooser(number);
  const watched = new Watched(type as GameName, players);
  const abandonedAfter = number % 10 === 0 ? choose(30) : Number.POSITIVE_INFINITY;
  let steps = 0;
  const planted: Game = {
    ...lucky(game, () => choose(3) > 0),
    start: (userIds, chance) => {
      const board = watched.secrets.plant(game.start(userIds, chance));
      watched.check(board);
      return board;
    },
    isOver: (board) => game.isOver(board) || steps > abandonedAfter,
  };
  const last = playGame(planted, { players, seed: watched.canaries.seed, choose }, (step) => {
    if (choose(4) === 0) tryAnything(game, step, players, watched, choose);
    watched.secrets.follow(step);
    watched.check(step.after);
    steps += 1;
  });
  watched.check(last, game.isOver(last) ? "finished" : "abandoned");
  return watched.seen;
}

describe("what a player may not see", () => {
  for (const game of games.values())
    it(`never leaves ${gamesEach} games of ${game.meta.type}`, function () {
      this.timeout(120_000);
      let seen = 0;
      for (let number = 0; number < gamesEach; number += 1) seen += watchGame(game, number);
      // The least there is to see: the first and the last board, by two players and a spectator.
      expect(seen).to.be.at.least(gamesEach * 6);
    });

  it("is found when a game shows it", () => {
    const finds = (type: string, part: Partial<Game>) => {
      const all = games as Map<string, Game>;
      const real = games.get(type)!;
      const leaky = { ...real, ...part };
      all.set(type, leaky);
      try {
        expect(() => [1, 2, 3, 4].map((number) => watchGame(leaky, number))).to.throw(LeakError);
      } finally {
        all.set(type, real);
      }
    };
    const { view } = games.get("memory")!;
    finds("memory", { view: (board) => ({ ...view(board), ...board }) });
    finds("memory", { viewFor: (board) => ({ next: (board as { cards: object[] }).cards[5] }) });
    finds("trivia", {
      viewFor: (board) => ({ hint: (board as { questions: { right: number }[] }).questions[0]!.right }),
    });
    finds("trivia", { viewFor: (board) => ({ others: (board as { answers: object[] }).answers }) });
  });
});
