import Joi from "joi";
import { id, integer, listOf, nullable, object } from "#shared/contracts/fields.ts";
import type { GameSpec } from "./game-spec.ts";

export const ludoSpec = {
  meta: {
    type: "ludo",
    name: "Ludo",
    description:
      "Race your four pieces around the board and home. A six moves a piece out of the yard and gives you another roll, but the third six in a row ends your turn. Landing on other players' pieces sends them back to the yard, except on start and star squares. Home needs an exact roll. The game ends when all players but one have brought all pieces home. If you don't act within 30 seconds, the server rolls and moves your most advanced piece.",
    min_players: 2,
    max_players: 4,
    turn_seconds: 30,
  },
  actions: {
    roll: {},
    move: {
      piece: integer(0, 3, 0).description("Index of the piece."),
    },
  },
  board: object({
    players: listOf(
      object({
        user_id: id(),
        start: integer(0, 51, 0).description("The ring square on which the player's path starts."),
        pieces: Joi.array()
          .items(integer(0, 57, 12))
          .length(4)
          .example([0, 12, 57, 4])
          .description(
            "Progress of each piece: 0 in the yard, 1 to 51 on the ring (1 is the player's start), 52 to 56 in the home column, 57 home.",
          ),
        place: nullable(integer(1, 4, 1)),
      }),
    ),
    roll: nullable(integer(1, 6, 6)),
    last_roll: nullable(object({ user_id: id(), roll: integer(1, 6, 6) })),
    safe_squares: listOf(integer(0, 51, 8)),
  }),
  you: object({}),
} as const satisfies GameSpec;
