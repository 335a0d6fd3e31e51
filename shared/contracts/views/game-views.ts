import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { userCard } from "./user-views.ts";

export const gameType = object({
  type: Joi.string().example("ludo"),
  name: line(1, 60, "Ludo"),
  description: text(1, 500, "Race your four pieces around the board and home."),
  min_players: integer(1, 20, 2),
  max_players: integer(1, 20, 4),
  actions: listOf(Joi.string().example("roll")),
  turn_seconds: integer(1, 600, 30),
}).meta({ name: "GameType" });
export type GameType = Infer<typeof gameType>;

export const lobbyStatuses = ["open", "in_game", "finished", "cancelled"] as const;

export const lobby = object({
  id: id(exampleIds.lobby),
  type: Joi.string().example("ludo"),
  room_id: nullable(id(exampleIds.room)),
  host: userCard,
  status: oneOf(...lobbyStatuses),
  players: listOf(object({ user: userCard, ready: flag() })),
  min_players: integer(1, 20, 2),
  max_players: integer(1, 20, 4),
  session_id: nullable(id(exampleIds.gameSession)),
}).meta({ name: "Lobby" });
export type Lobby = Infer<typeof lobby>;

export const sessionStatuses = ["active", "finished", "abandoned"] as const;

const place = nullable(integer(1, 20, 1));
const score = Joi.number().integer().example(57);

export const session = object({
  id: id(exampleIds.gameSession),
  type: Joi.string().example("ludo"),
  lobby_id: id(exampleIds.lobby),
  status: oneOf(...sessionStatuses),
  version: count(12),
  players: listOf(object({ user: userCard, score, place, connected: flag() })),
  turn: nullable(
    object({ user_id: id(), allowed: listOf(Joi.string().example("roll")), deadline_at: time() }),
  ).description(
    "The current turn. Null when all players can act at once, when no player can act, and after the end of the game.",
  ),
  board: Joi.object()
    .unknown()
    .description("The public state of the game. Its schema depends on `type`: for example, `LudoSession`."),
  you: nullable(Joi.object().unknown()).description(
    "The part of the state that only you can see. Its schema depends on `type`. Null for spectators.",
  ),
  result: nullable(
    object({
      reason: oneOf("finished", "abandoned"),
      finished_at: time(),
      standings: listOf(object({ user_id: id(), score, place })),
    }),
  ),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
}).meta({ name: "Session" });
export type Session = Infer<typeof session>;

export const gameProof = object({
  seed: Joi.string().hex().length(64).example("b1946ac92492d2347c6235b4d2611184f1b2b0b822cd15d6c15b0f00a08aa10b"),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
  draws: listOf(object({ index: count(0), purpose: Joi.string().example("die of 6"), value: count(3) })),
}).meta({ name: "GameProof" });
export type GameProof = Infer<typeof gameProof>;

export const playedGame = object({
  session_id: id(exampleIds.gameSession),
  type: Joi.string().example("ludo"),
  status: oneOf(...sessionStatuses),
  score: nullable(score),
  place,
  players: listOf(object({ user: userCard, score: nullable(score), place })),
  created_at: time(),
  finished_at: nullable(time()),
}).meta({ name: "PlayedGame" });
export type PlayedGame = Infer<typeof playedGame>;
