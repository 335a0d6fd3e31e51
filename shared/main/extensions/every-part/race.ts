import { count, defineGame, id, integer, line, listOf, nullable, object, oneOf } from "#shared/extension/index.ts";

const square = integer(0, 30);

/** A game whose rules are a stranger's, who has not only good ideas. */
export const race = {
  meta: {
    type: "every_part_race",
    name: "Race",
    description: "Run by the roll of a die. The first player to pass square 10 wins.",
    ...{ min_players: 2, max_players: 2, turn_seconds: 20 },
  },
  actions: { every_part_run: { how: oneOf("well", "badly", "for ever", "to all", "past the end", "as a stranger") } },
  state: object({
    runners: listOf(object({ userId: id(), square })),
    ...{ next: integer(0, 1), secret: line(1, 20, "tea"), deadlineMs: nullable(count()), winner: nullable(id()) },
  }),
  board: object({ runners: listOf(object({ user_id: id(), square })) }),
  you: object({ secret: nullable(line(1, 20, "tea")) }),
};

export const isolatedRace = defineGame({ ...race, isolated: new URL("./race-rules.ts", import.meta.url) });
