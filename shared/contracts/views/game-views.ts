import Joi from "joi";
import { count, flag, id, integer, line, listOf, nullable, oneOf, text, time, view } from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

export interface GameType {
  type: string;
  name: string;
  description: string;
  min_players: number;
  max_players: number;
  /** Kinds of action. */
  actions: string[];
  turn_seconds: number;
}

export const gameType = view<GameType>({
  type: Joi.string().example("ludo"),
  name: line(1, 60, "Ludo"),
  description: text(1, 500, "Four pieces each, home by an exact roll."),
  min_players: integer(1, 20, 2),
  max_players: integer(1, 20, 4),
  actions: listOf(Joi.string().example("roll")),
  turn_seconds: integer(1, 600, 30),
}).meta({ name: "GameType" });

export const lobbyStatuses = ["open", "in_game", "finished", "cancelled"] as const;

export interface Lobby {
  id: string;
  type: string;
  room_id: string | null;
  host: UserCard;
  status: (typeof lobbyStatuses)[number];
  players: { user: UserCard; ready: boolean }[];
  min_players: number;
  max_players: number;
  session_id: string | null;
}

export const lobby = view<Lobby>({
  id: id(),
  type: Joi.string().example("ludo"),
  room_id: nullable(id()),
  host: userCard,
  status: oneOf(...lobbyStatuses),
  players: listOf(view({ user: userCard, ready: flag() })),
  min_players: integer(1, 20, 2),
  max_players: integer(1, 20, 4),
  session_id: nullable(id()),
}).meta({ name: "Lobby" });

export const sessionStatuses = ["active", "finished", "abandoned"] as const;

export interface SessionPlayer {
  user: UserCard;
  score: number;
  place: number | null;
  connected: boolean;
}

export interface GameResult {
  reason: "finished" | "abandoned";
  finished_at: string;
  standings: { user_id: string; score: number; place: number | null }[];
}

export interface Session {
  id: string;
  type: string;
  lobby_id: string;
  status: (typeof sessionStatuses)[number];
  /** Rises by one with each change of the game. */
  version: number;
  players: SessionPlayer[];
  turn: { user_id: string; allowed: string[]; deadline_at: string } | null;
  /** What everyone may see; its shape is the game's. */
  board: object;
  /** What only the caller may see; null for a spectator. */
  you: object | null;
  result: GameResult | null;
  /** SHA-256 of the seed, hexadecimal. */
  seed_hash: string;
}

const place = nullable(integer(1, 20, 1));
const score = Joi.number().integer().example(57);

export const session = view<Session>({
  id: id(),
  type: Joi.string().example("ludo"),
  lobby_id: id(),
  status: oneOf(...sessionStatuses),
  version: count(12),
  players: listOf(view({ user: userCard, score, place, connected: flag() })),
  turn: nullable(
    view({ user_id: id(), allowed: listOf(Joi.string().example("roll")), deadline_at: time() }),
  ).description("Null while all may act at once, while nobody may, and when the game is over."),
  board: Joi.object()
    .unknown()
    .description("What everyone may see; its shape is the game's: `LudoSession`, and so on."),
  you: nullable(Joi.object().unknown()).description("What only you may see, see there; null for a spectator."),
  result: nullable(
    view({
      reason: oneOf("finished", "abandoned"),
      finished_at: time(),
      standings: listOf(view({ user_id: id(), score, place })),
    }),
  ),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
}).meta({ name: "Session" });

export interface GameProof {
  seed: string;
  seed_hash: string;
  draws: { index: number; purpose: string; value: number }[];
}

export const gameProof = view<GameProof>({
  seed: Joi.string().hex().length(64).example("b1946ac92492d2347c6235b4d2611184f1b2b0b822cd15d6c15b0f00a08aa10b"),
  seed_hash: Joi.string().hex().length(64).example("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
  draws: listOf(view({ index: count(0), purpose: Joi.string().example("die of 6"), value: count(3) })),
}).meta({ name: "GameProof" });

export interface PlayedGame {
  session_id: string;
  type: string;
  status: (typeof sessionStatuses)[number];
  score: number | null;
  place: number | null;
  players: { user: UserCard; score: number | null; place: number | null }[];
  created_at: string;
  finished_at: string | null;
}

export const playedGame = view<PlayedGame>({
  session_id: id(),
  type: Joi.string().example("ludo"),
  status: oneOf(...sessionStatuses),
  score: nullable(score),
  place,
  players: listOf(view({ user: userCard, score: nullable(score), place })),
  created_at: time(),
  finished_at: nullable(time()),
}).meta({ name: "PlayedGame" });
