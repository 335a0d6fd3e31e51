import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
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
  variants,
} from "#shared/contracts/fields.ts";
import { furtherSpecs, gameName } from "#shared/contracts/games/games.ts";
import { ludoSpec } from "#shared/contracts/games/ludo.ts";
import { memorySpec } from "#shared/contracts/games/memory.ts";
import { snakesAndLaddersSpec } from "#shared/contracts/games/snakes-and-ladders.ts";
import { triviaSpec } from "#shared/contracts/games/trivia.ts";
import { truthOrDareSpec } from "#shared/contracts/games/truth-or-dare.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { userCard } from "./user-views.ts";

export const gameType = object({
  type: gameName,
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
  type: gameName,
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

const sessionFields = {
  id: id(exampleIds.gameSession),
  lobby_id: id(exampleIds.lobby),
  status: oneOf(...sessionStatuses),
  version: count(12),
  players: listOf(object({ user: userCard, score, place, connected: flag() }).meta({ name: "SessionPlayer" })),
  turn: nullable(
    object({
      user_id: id(),
      allowed: listOf(Joi.string().example("roll")),
      deadline_at: time(exampleTime(exampleIds.gameSession, 30)),
    }).meta({
      name: "SessionTurn",
    }),
  ).description(
    "The current turn. Null when all players can act at once, when no player can act, and after the end of the game.",
  ),
  result: nullable(
    object({
      reason: oneOf("finished", "abandoned"),
      finished_at: time(exampleTime(exampleIds.gameSession, 425)),
      standings: listOf(object({ user_id: id(), score, place }).meta({ name: "SessionStanding" })),
    }).meta({ name: "SessionResult" }),
  ),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
};

/** The session of one game: `LudoSession`, with `LudoBoard`. */
const sessionOf = <const Type extends string, Board extends Joi.ObjectSchema, You extends Joi.ObjectSchema>({
  meta,
  board,
  you,
}: {
  meta: { type: Type; description: string };
  board: Board;
  you: You;
}) => {
  const name = pascalCase(meta.type);
  return object({
    ...sessionFields,
    type: oneOf(meta.type),
    board: board.meta({ name: `${name}Board` }).description("The public state of the game."),
    you: nullable(you.meta({ name: `${name}You` })).description(
      "The state that only you can see. Null for spectators.",
    ),
  }).meta({ name: `${name}Session`, about: meta.description });
};

export const session = variants(
  "type",
  sessionOf(ludoSpec),
  sessionOf(snakesAndLaddersSpec),
  sessionOf(triviaSpec),
  sessionOf(memorySpec),
  sessionOf(truthOrDareSpec),
  ...(furtherSpecs.map(sessionOf) as []),
).meta({ name: "Session" });
export type Session = Infer<typeof session>;

export const gameProof = object({
  seed: Joi.string().hex().length(64).example("b1946ac92492d2347c6235b4d2611184f1b2b0b822cd15d6c15b0f00a08aa10b"),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
  draws: listOf(
    object({
      index: count(0).description("Counts from 0."),
      purpose: Joi.string().example("die of 6"),
      value: count(3).description("Counts from 0: a die that shows 4 has the value 3."),
    }),
  ),
}).meta({ name: "GameProof" });
export type GameProof = Infer<typeof gameProof>;

export const playedGame = object({
  session_id: id(exampleIds.gameSession),
  type: gameName,
  status: oneOf(...sessionStatuses),
  score: nullable(score),
  place,
  players: listOf(object({ user: userCard, score: nullable(score), place })),
  created_at: time(exampleTime(exampleIds.gameSession)),
  finished_at: nullable(time(exampleTime(exampleIds.gameSession, 425))),
}).meta({ name: "PlayedGame" });
export type PlayedGame = Infer<typeof playedGame>;
