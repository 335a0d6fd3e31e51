import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { id, integer, line, listOf, nullable, object, oneOf, text, time } from "#shared/contracts/fields.ts";
import type { GameSpec } from "./game-spec.ts";

const option = integer(0, 3, 2);
const round = integer(0, 9, 0);

export const triviaSpec = {
  meta: {
    type: "trivia",
    name: "Trivia",
    description:
      "All players answer the same ten questions, with 15 seconds for each. A correct answer scores 500 points, plus up to 500 for speed. The correct option is shown after each round.",
    min_players: 2,
    max_players: 8,
    turn_seconds: 15,
  },
  actions: {
    answer: {
      question: round.description("`index` of the question. The answer is rejected if the question is over."),
      option: option.description("Index of the option."),
    },
  },
  board: object({
    question: nullable(
      object({
        index: round,
        category: line(1, 40, "science"),
        difficulty: oneOf("easy", "medium", "hard"),
        text: text(1, 300, "Which planet has the most moons?"),
        options: listOf(line(1, 100, "Saturn")),
        ends_at: time(exampleTime(exampleIds.gameSession, 15)),
      }),
    ),
    answered: listOf(id()).description(
      "Players who have answered the current question. Their answers are shown after the round.",
    ),
    last_round: nullable(
      object({
        index: round,
        right_option: option,
        answers: listOf(object({ user_id: id(), option, points: integer(0, 1000, 730) })),
      }),
    ),
  }),
  you: object({ answer: nullable(option).description("Your answer to the current question.") }),
} as const satisfies GameSpec;
