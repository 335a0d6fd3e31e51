import { type Decoder, Encoder, Reflection, type Schema } from "@colyseus/schema";
import { expect } from "chai";
import { ownGames } from "#shared/domain/live/games/games.ts";
import { newSeed } from "#shared/domain/live/games/random.ts";
import { chooser, lucky, playGame } from "#shared/testing/games/play-game.ts";
import { GameState, projectGame } from "./game.state.ts";

const gamesEach = 20;
const players = ["ann", "bob"];

/** What a field that is null in the contract is to native clients. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, one: unknown) => (one === null ? undefined : one)));

/** Plays games while a native client watches; returns the bytes of its patches, and of the boards as JSON. */
function watch(type: string): { patches: number; boards: number } {
  const sum = { patches: 0, boards: 0 };
  const game = ownGames.get(type)!;
  for (let number = 0; number < gamesEach; number += 1) {
    const state = new GameState();
    const encoder = new Encoder(state);
    const show = (board: object) => {
      const session = { type, turn: null, players: [], board: JSON.parse(JSON.stringify(board)) };
      projectGame(state, session as never);
    };
    let decoder: Decoder | undefined;
    const choose = chooser(number);
    playGame(
      lucky(game, () => choose(3) > 0),
      { players, seed: newSeed(), choose },
      ({ before, after }) => {
        if (!decoder) {
          show(game.view.board(before));
          decoder = Reflection.decode(Reflection.encode(encoder)) as Decoder;
          decoder.decode(encoder.encodeAll());
          encoder.discardChanges();
        }
        show(game.view.board(after));
        const patch = encoder.encode();
        decoder.decode(patch);
        encoder.discardChanges();
        const { board } = decoder.state as unknown as { board: Schema };
        expect(withoutNulls(board.toJSON())).to.deep.equal(withoutNulls(game.view.board(after)));
        sum.patches += patch.length;
        sum.boards += JSON.stringify(game.view.board(after)).length;
      },
    );
  }
  return sum;
}

describe("the board of a native client", () => {
  for (const type of ownGames.keys())
    it(`is that of ${type}, by patches of what has changed`, () => {
      const { patches, boards } = watch(type);
      expect(patches).to.be.greaterThan(0);
      expect(patches / boards, "bytes of patches by bytes of boards").to.be.below(0.5);
    });
});
