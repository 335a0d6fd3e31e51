import { type Fields, type Infer, id, line, object, optional, pageQuery, union } from "#shared/contracts/fields.ts";
import { actionId, type GameActionInput, kindMeaning } from "#shared/contracts/game-actions.ts";
import type { Game } from "#shared/domain/games/game.ts";
import { games } from "#shared/domain/games/games.ts";

export const idParams = object({ id: id() });
export type IdParams = Infer<typeof idParams>;

export const lobbyBody = object({
  type: line(1, 40, "ludo").description("One of `GET /games/types`."),
  room_id: optional(id().description("The room whose members may join; you have to be in it.")),
});
export type LobbyBody = Infer<typeof lobbyBody>;

export const lobbiesQuery = object({ room_id: id() });

export type ActionBody = GameActionInput & { action_id?: string };

/**
 * The members of every action of these games. Which of them a kind needs is for the game to check; where two give one name
 * to different things, either may come.
 */
export function actionMembers(all: Iterable<Pick<Game, "actions">>): Fields {
  const members = [...all]
    .flatMap(({ actions }) => Object.values<Fields>(actions))
    .flatMap((fields) => Object.entries(fields));
  return Object.fromEntries(
    [...Map.groupBy(members, ([name]) => name)].map(([name, same]) => {
      const [first, ...others] = same.map(([, schema]) => schema);
      return [name, optional(others.length === 0 ? first! : union(first!, ...others))];
    }),
  );
}

/** The action itself, and beside its members an `action_id`. */
export const actionBody = object({
  kind: line(1, 40, "roll").description(kindMeaning),
  ...actionMembers(games.values()),
  action_id: optional(actionId),
});

export const historyQuery = object(pageQuery);
