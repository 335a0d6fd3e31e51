import { exampleIds } from "#shared/contracts/examples.ts";
import { describedBy, type Fields, id, line, object, optional, pageQuery, union } from "#shared/contracts/fields.ts";
import { actionId, kindMeaning } from "#shared/contracts/game-actions.ts";
import type { GameSpec } from "#shared/contracts/games/game-spec.ts";
import { actionVariants, gameSpecs } from "#shared/contracts/games/games.ts";

export const lobbyParams = object({ id: id(exampleIds.lobby) });
export const sessionParams = object({ id: id(exampleIds.gameSession) });

export const createLobbyBody = object({
  type: line(1, 40, "ludo").description("One of the types in `GET /games/types`."),
  room_id: optional(
    id(exampleIds.room).description(
      "The room that the lobby belongs to, which you must be in. Then only members of the room can join.",
    ),
  ),
}).meta({ name: "CreateLobbyBody" });

export const lobbiesQuery = object({ room_id: id(exampleIds.room) });

/**
 * Returns the fields of all actions of these games. The game checks which of them a kind requires; where two games give
 * one name to different things, either is accepted.
 */
export function actionFields(all: Iterable<Pick<GameSpec, "actions">>): Fields {
  const fields = [...all]
    .flatMap(({ actions }) => Object.values<Fields>(actions))
    .flatMap((ofAction) => Object.entries(ofAction));
  return Object.fromEntries(
    [...Map.groupBy(fields, ([name]) => name)].map(([name, same]) => {
      const [first, ...others] = same.map(([, schema]) => schema);
      return [name, optional(others.length === 0 ? first! : union(first!, ...others))];
    }),
  );
}

export const takeActionBody = describedBy(
  object({ kind: line(1, 40, "roll"), ...actionFields(gameSpecs), action_id: optional(actionId) }),
  actionVariants("ActionBody", { action_id: optional(actionId) })
    .meta({ name: "TakeActionBody" })
    .description(kindMeaning),
);

export const historyQuery = object(pageQuery);
