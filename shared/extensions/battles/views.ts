import {
  coins,
  count,
  exampleIds,
  type Infer,
  id,
  integer,
  nullable,
  object,
  oneOf,
  time,
} from "#shared/extension/index.ts";

export const battleFields = {
  ...{ id: id(exampleIds.gift), rival_room_id: id() },
  room_id: id(exampleIds.room).description("The room that invited the other."),
  status: oneOf("invited", "running", "ended", "declined", "withdrawn", "expired").example("running"),
  seconds: integer(30, 3600, 300),
  ...{ starts_at: nullable(time("2026-01-01T00:00:00.000Z")), ends_at: nullable(time("2026-01-01T00:05:00.000Z")) },
  score: coins(120).description("The coins of the gifts in `room_id` from the start to the end."),
  rival_score: coins(80),
  winner_room_id: nullable(id(exampleIds.room)).description("Null for a draw."),
  reward: count(0).description("What the winner's host got, in coins."),
};
export const battleView = object(battleFields).meta({ name: "Battle" });
export type Battle = Infer<typeof battleView>;
export const inviteBody = object({
  room_id: id(exampleIds.room).description("Your room."),
  rival_room_id: id(),
  seconds: integer(30, 3600, 300).description("How long the battle takes."),
}).meta({ name: "InviteToBattleBody" });
export type Invitation = Infer<typeof inviteBody>;
