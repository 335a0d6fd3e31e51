import { expect } from "chai";
import fc from "fast-check";
import { turnOf } from "#shared/extension/game.ts";
import { anyGame, playGame } from "#shared/testing/games/play-game.ts";
import { prompts, truthOrDare } from "./truth-or-dare.rules.ts";

describe("truth or dare", () => {
  it("goes three times round the circle, and no prompt comes twice", () => {
    const playOne = (toPlay: Parameters<typeof playGame>[1]) => {
      const { players } = toPlay;
      const seen: string[] = [];
      let turns = 0;
      const last = playGame(truthOrDare, toPlay, ({ before, after, by }) => {
        const userId = players[turns % players.length]!;
        expect(turnOf(truthOrDare, before)).to.deep.equal({ userId, allowed: ["prompt_pick"] });
        turns += 1;
        expect(after.turnsLeft).to.equal(players.length * 3 - turns);
        const { prompt } = truthOrDare.view.board(after) as {
          prompt: { user_id: string; kind: string; text: string } | null;
        };
        if (!by) return expect(prompt).to.equal(null);
        expect(prompt).to.include({ user_id: userId, kind: (by.action as { prompt?: string }).prompt });
        expect(prompts[prompt!.kind as "truth" | "dare"]).to.include(prompt!.text);
        return seen.push(prompt!.text);
      });
      expect(turns).to.equal(players.length * 3);
      expect(new Set(seen).size).to.equal(seen.length);
      const taken = truthOrDare.end(last).reduce((sum, { score }) => sum + score, 0);
      expect(taken).to.equal(seen.length);
    };
    fc.assert(fc.property(anyGame(truthOrDare), playOne), { numRuns: 40 });
  });
});
