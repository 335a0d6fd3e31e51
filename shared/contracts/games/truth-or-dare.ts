import { id, integer, listOf, nullable, object, oneOf, text } from "#shared/contracts/fields.ts";
import type { GameSpec } from "./game-spec.ts";

export const truthOrDareSpec = {
  meta: {
    type: "truth_or_dare",
    name: "Truth or dare",
    description:
      "Three rounds. On your turn, choose truth or dare, and the server draws a prompt. You have until the next player chooses. If you don't choose within 60 seconds, you are skipped.",
    min_players: 2,
    max_players: 8,
    turn_seconds: 60,
  },
  actions: { prompt_pick: { prompt: oneOf("truth", "dare") } },
  board: object({
    prompt: nullable(
      object({ user_id: id(), kind: oneOf("truth", "dare"), text: text(1, 300, "Sing the first line of a song.") }),
    ),
    turns_left: integer(0, 24, 12),
    players: listOf(object({ user_id: id(), taken: integer(0, 3, 1) })),
  }),
  you: object({}),
} as const satisfies GameSpec;
