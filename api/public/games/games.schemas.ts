import type Joi from "joi";
import { id, input, line, pageQuery } from "#shared/contracts/fields.ts";
import { actionId, type GameActionInput } from "#shared/contracts/game-actions.ts";
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

/** The members of every action of every game. Which of them a kind needs is for the game to check. */
const actionMembers = Object.fromEntries(
  [...games.values()]
    .flatMap(({ actions }) => Object.values<Joi.SchemaMap>(actions))
    .flatMap((members) => Object.entries(members as Record<string, Joi.Schema>))
    .map(([name, schema]) => [name, schema.optional()]),
);

/** The action itself, and beside its members an `action_id`. */
export const actionBody = input<ActionBody>({
  kind: line(1, 40, "roll").required().description("One of `turn.allowed`."),
  ...actionMembers,
  action_id: actionId,
} as Joi.SchemaMap<ActionBody, false>);

export const historyQuery = input<PageQuery>(pageQuery);
