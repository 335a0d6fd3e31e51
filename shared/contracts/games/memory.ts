import { flag, id, integer, listOf, nullable, object, oneOf } from "#shared/contracts/fields.ts";
import type { GameSpec } from "./game-spec.ts";

/** Names of the faces; there are as many pairs, and no client gets one before its card is open. */
export const faces = [
  "anchor",
  "balloon",
  "cactus",
  "drum",
  "feather",
  "guitar",
  "kite",
  "lantern",
  "mango",
  "owl",
  "peacock",
  "rocket",
] as const;

export const memorySpec = {
  meta: {
    type: "memory",
    name: "Memory",
    description:
      "Find the twelve pairs among the face-down cards. Flip two cards on your turn. If they match, you score a point and play again. If they don't, they are turned back after two seconds. If you don't flip a card within 20 seconds, you lose your turn, and a card that you have flipped is turned back. The player with the most pairs wins.",
    min_players: 2,
    max_players: 4,
    turn_seconds: 20,
  },
  actions: {
    flip: {
      card: integer(0, faces.length * 2 - 1, 7).description("Index of the card."),
    },
  },
  board: object({
    cards: listOf(
      object({
        card: integer(0, faces.length * 2 - 1, 7),
        state: oneOf("closed", "open", "matched"),
        face: nullable(oneOf(...faces)),
      }),
    ),
    players: listOf(object({ user_id: id(), pairs: integer(0, faces.length, 2) })),
    looking: flag(false).description(
      "Two cards that don't match are face up. No player can flip a card until they are turned back.",
    ),
  }),
  you: object({}),
} as const satisfies GameSpec;
