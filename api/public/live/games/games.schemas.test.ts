import { expect } from "chai";
import { checkInput } from "#shared/contracts/check-input.ts";
import { integer, object, oneOf } from "#shared/contracts/fields.ts";
import { actionFields } from "./games.schemas.ts";

describe("the body of a game's action", () => {
  const quiz = { actions: { answer: { option: integer(0, 3, 2) } } };
  const hands = { actions: { show: { option: oneOf("rock", "paper") } } };
  const alone = { actions: { roll: {}, move: { piece: integer(0, 3, 0) } } };

  for (const games of [
    [quiz, hands, alone],
    [hands, alone, quiz],
  ])
    it("accepts a field as any of the games with a field of that name does", () => {
      const body = object(actionFields(games));
      for (const sent of [{ option: 2 }, { option: "rock" }, { piece: 1 }, {}])
        expect(checkInput(body, sent)).to.deep.equal(sent);
      for (const sent of [{ option: 4 }, { option: "well" }, { piece: 7 }, { other: 1 }])
        expect(() => checkInput(body, sent))
          .to.throw()
          .with.property("code", "VALIDATION_ERROR");
    });
});
