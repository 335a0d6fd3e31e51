import Joi from "joi";
import { id, input, line, pageQuery } from "#shared/contracts/fields.ts";
import { actionId, type GameActionInput, kindMeaning } from "#shared/contracts/game-actions.ts";
import type { Game } from "#shared/domain/games/game.ts";
import { games } from "#shared/domain/games/games.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface IdParams {
  id: string;
}

export const idParams = input<IdParams>({ id: id().required() });

export interface LobbyBody {
  type: string;
  room_id?: string;
}

export const lobbyBody = input<LobbyBody>({
  type: line(1, 40, "ludo").required().description("One of `GET /games/types`."),
  room_id: id().description("The room whose members may join; you have to be in it."),
});

export const lobbiesQuery = input<{ room_id: string }>({ room_id: id().required() });

export type ActionBody = GameActionInput & { action_id?: string };

/**
 * The members of every action of these games. Which of them a kind needs is for the game to check; where two give one name
 * to different things, either may come.
 */
export function actionMembers(all: Iterable<Pick<Game, "actions">>): Record<string, Joi.Schema> {
  const members = [...all]
    .flatMap(({ actions }) => Object.values<Joi.SchemaMap>(actions))
    .flatMap((one) => Object.entries(one as Record<string, Joi.Schema>));
  return Object.fromEntries(
    [...Map.groupBy(members, ([name]) => name)].map(([name, same]) => {
      const [first, ...others] = same.map(([, schema]) => schema.optional());
      return [name, others.length === 0 ? first! : Joi.alternatives(first!, ...others)];
    }),
  );
}

/** The action itself, and beside its members an `action_id`. */
export const actionBody = input<ActionBody>({
  kind: line(1, 40, "roll").required().description(kindMeaning),
  ...actionMembers(games.values()),
  action_id: actionId,
} as Joi.SchemaMap<ActionBody, false>);

export const historyQuery = input<PageQuery>(pageQuery);
