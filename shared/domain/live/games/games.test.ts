import { expect } from "chai";
import fc from "fast-check";
import Joi from "joi";
import { object } from "#shared/contracts/fields.ts";
import { takeAction } from "#shared/extension/game.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { anyGame, chooser, playGame } from "#shared/testing/games/play-game.ts";
import { ownGames } from "./games.ts";
import { SeededRandom } from "./random.ts";

const people = ["a", "b", "c", "d", "e", "f", "g", "h"];

for (const game of ownGames.values()) {
  const { meta } = game;
  describe(`the rules of ${meta.type}`, () => {
    it("end every game that is played legally, with places that match the scores", () => {
      fc.assert(
        fc.property(anyGame(game), (toPlay) => {
          const { players } = toPlay;
          const last = playGame(game, toPlay);
          const standings = game.end(last);
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

    it("have states, boards, and private views that fit their schemas, and no places before the end", () => {
      const boards: object[] = [];
      const players = people.slice(0, meta.max_players);
      playGame(game, { players, seed: "ab".repeat(32), choose: chooser(7) }, ({ before }) => boards.push(before));
      const schema = game.board.append().unknown(false);
      for (const board of boards.slice(0, 300)) {
        // Ids of these tests are letters; everything else is as it will be.
        const { error } = schema.validate(
          JSON.parse(JSON.stringify(game.view.board(board)).replace(/"([a-h])"/g, `"${anId}"`)),
        );
        expect(error?.message).to.equal(undefined);
        const you = game.you.append().unknown(false).validate(game.view.you(board, players[0]!));
        expect(you.error?.message).to.equal(undefined);
        expect(game.state.validate(board).error?.message).to.equal(undefined);
      }
      for (const { place } of game.end(boards[0]!)) expect(place).to.equal(null);
    });

    it("reject players whose turn it isn't, and change nothing", () => {
      const random = new SeededRandom("cd".repeat(32));
      const players = people.slice(0, meta.min_players);
      const board = game.setup(players, { random, nowMs: 0 });
      const before = JSON.stringify(board);
      const turn = game.turn(board);
      const [kind] = Object.keys(game.actions);
      for (const userId of [...players.filter((player) => player !== turn), "stranger"]) {
        if (game.legal(board, userId).length > 0) continue;
        const refused = () => takeAction(game, board, userId, { kind: kind! }, { random, nowMs: 0 });
        expect(refused).to.throw(DomainError).with.property("code", "NOT_YOUR_TURN");
      }
      expect(JSON.stringify(board)).to.equal(before);
    });

    it("declare the fields of each action", () => {
      for (const members of Object.values(game.actions)) expect(Joi.isSchema(object(members))).to.equal(true);
      const board = game.setup(people.slice(0, meta.min_players), {
        random: new SeededRandom("ef".repeat(32)),
        nowMs: 0,
      });
      for (const action of people.flatMap((userId) => [...game.legal(board, userId)]))
        expect(Object.keys(game.actions)).to.include(action.kind);
    });
  });
}

const anId = "0198f2a4-7c1e-7d3a-9b52-3f6f0c1d2e4a";
