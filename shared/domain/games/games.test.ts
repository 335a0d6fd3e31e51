import { expect } from "chai";
import fc from "fast-check";
import Joi from "joi";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Game } from "./game.ts";
import { games } from "./games.ts";
import { SeededRandom } from "./random.ts";

const people = ["a", "b", "c", "d", "e", "f", "g", "h"];

interface Played {
  boards: object[];
  steps: number;
}

/** Plays a game by whatever is legal; `choices` says which, and how often nobody acts. */
function play(game: Game, players: readonly string[], seed: string, choices: fc.Random): Played {
  const random = new SeededRandom(seed);
  let nowMs = 1_800_000_000_000;
  let board = game.start(players, { random, nowMs });
  const boards = [board];
  for (let steps = 0; !game.isOver(board); steps += 1) {
    if (steps > 20_000) throw new Error("the game does not end");
    const able = players.filter((userId) => game.legal(board, userId).length > 0);
    const idle = able.length === 0 || choices.nextInt(0, 9) === 0;
    if (idle) {
      nowMs = game.deadlineMs(board)!;
      board = game.timeout(board, { random, nowMs });
    } else {
      nowMs += 500;
      const userId = able[choices.nextInt(0, able.length - 1)]!;
      const legal = game.legal(board, userId);
      board = game.act(board, userId, legal[choices.nextInt(0, legal.length - 1)]!, { random, nowMs });
    }
    // What is stored and read again is the same board.
    board = JSON.parse(JSON.stringify(board)) as object;
    boards.push(board);
  }
  return { boards, steps: boards.length };
}

for (const game of games.values()) {
  const { meta } = game;
  describe(`the rules of ${meta.type}`, () => {
    const anyGame = fc.record({
      count: fc.integer({ min: meta.min_players, max: meta.max_players }),
      seed: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex")),
      choices: fc.integer().map((number) => new fc.Random(prand(number))),
    });

    it("end every game that is played legally, with places that fit the scores", () => {
      fc.assert(
        fc.property(anyGame, ({ count, seed, choices }) => {
          const players = people.slice(0, count);
          const { boards } = play(game, players, seed, choices);
          const last = boards.at(-1)!;
          const standings = game.standings(last);
          expect(standings.map(({ userId }) => userId)).to.deep.equal(players);
          const places = standings.map(({ place }) => place!).sort((a, b) => a - b);
          expect(places[0]).to.equal(1);
          places.forEach((place, index) => {
            expect(place).to.be.within(1, index + 1);
          });
          expect(game.deadlineMs(last)).to.equal(null);
          expect(game.turn(last)).to.equal(null);
          for (const userId of players) expect(game.legal(last, userId)).to.deep.equal([]);
        }),
        { numRuns: 40 },
      );
    });

    it("show a board that fits its schema, and nobody a place before the end", () => {
      const { boards } = play(game, people.slice(0, meta.max_players), "ab".repeat(32), new fc.Random(prand(7)));
      const schema = game.board.append().unknown(false);
      for (const board of boards.slice(0, 300)) {
        // Ids of these tests are letters; everything else is as it will be.
        const { error } = schema.validate(
          JSON.parse(JSON.stringify(game.view(board)).replace(/"([a-h])"/g, `"${anId}"`)),
        );
        expect(error?.message).to.equal(undefined);
      }
      for (const { place } of game.standings(boards[0]!)) expect(place).to.equal(null);
    });

    it("refuse whoever's turn it is not, and change nothing", () => {
      const random = new SeededRandom("cd".repeat(32));
      const players = people.slice(0, meta.min_players);
      const board = game.start(players, { random, nowMs: 0 });
      const before = JSON.stringify(board);
      const turn = game.turn(board);
      const [kind] = Object.keys(game.actions);
      for (const userId of [...players.filter((player) => player !== turn?.userId), "stranger"]) {
        if (game.legal(board, userId).length > 0) continue;
        const refused = () => game.act(board, userId, { kind: kind! }, { random, nowMs: 0 });
        expect(refused).to.throw(DomainError).with.property("code", "NOT_YOUR_TURN");
      }
      expect(JSON.stringify(board)).to.equal(before);
    });

    it("say which members each action has", () => {
      for (const members of Object.values(game.actions)) expect(Joi.isSchema(Joi.object(members))).to.equal(true);
      const board = game.start(people.slice(0, meta.min_players), {
        random: new SeededRandom("ef".repeat(32)),
        nowMs: 0,
      });
      for (const action of people.flatMap((userId) => [...game.legal(board, userId)]))
        expect(Object.keys(game.actions)).to.include(action.kind);
    });
  });
}

const anId = "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a";

/** A small generator of choices (a linear congruence), so that a failing game can be played again. */
function prand(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state | 0;
  };
  return {
    clone: () => prand(state),
    next: () => [next(), prand(state)],
    unsafeNext: next,
    getState: () => [state],
  } as never;
}
