import { type ClientOptions, Core } from "./core.ts";
import { featuresOf } from "./features.ts";

export type { ColyseusClient } from "./colyseus-line.ts";
export type { Status } from "./connection.ts";
export type { ClientOptions, HubbubEvents } from "./core.ts";
export {
  type Call,
  type ClientErrorCode,
  type ErrorCode,
  type ErrorOf,
  type FieldError,
  HubbubError,
  isHubbubError,
  type Outcome,
  outcome,
} from "./errors.ts";
export type { GameAction, GameType, LiveGame, LiveLobby, SessionOf } from "./live-game.ts";
export type { LiveRoom, RoomEnd, RoomEvents } from "./live-room.ts";
export { type KeyValueStore, memoryStorage, type TokenStorage, type Tokens, webStorage } from "./session.ts";
export type * from "./social.generated.ts";

/** The client of one user. */
export type Hubbub = Core & ReturnType<typeof featuresOf>;

/** Creates the client of one user. It does nothing until it is used. */
export function createClient(options: ClientOptions = {}): Hubbub {
  const core = new Core(options);
  return Object.assign(core, featuresOf(core));
}
