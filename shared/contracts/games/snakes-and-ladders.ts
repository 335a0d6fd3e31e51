import { id, integer, listOf, nullable, object } from "#shared/contracts/fields.ts";
import type { GameSpec } from "./game-spec.ts";

export const snakesAndLaddersSpec = {
  meta: {
    type: "snakes_and_ladders",
    name: "Snakes and ladders",
    description:
      "Roll once per turn to move along 100 squares. Ladders take you up, snakes take you down. The first player to reach square 100, by an exact roll, wins. The others are ranked by their position. If you don't roll within 20 seconds, the server rolls for you.",
    min_players: 2,
    max_players: 6,
    turn_seconds: 20,
  },
  actions: { roll: {} },
  board: object({
    runners: listOf(object({ user_id: id(), square: integer(0, 100, 38).description("0: not on the board yet.") })),
    last_move: nullable(
      object({
        user_id: id(),
        roll: integer(1, 6, 4),
        from: integer(0, 100, 16),
        to: integer(0, 100, 38),
      }),
    ),
    ladders: listOf(object({ from: integer(1, 100, 4), to: integer(1, 100, 14) })),
    snakes: listOf(object({ from: integer(1, 100, 17), to: integer(1, 100, 7) })),
  }),
  you: object({}),
} as const satisfies GameSpec;
