import type { ActionOf, InputOf, ReplyOf } from "#shared/contracts/actors.ts";
import type { Live } from "#shared/domain/rooms/live.ts";
import type { Action, Ask, Decision } from "../../core/decision.ts";
import type { RoomData } from "./room-data.ts";

type Name = ActionOf<"voice_room">;

export type VoiceAction<A extends Name, Prepared = undefined> = Action<
  RoomData,
  Live,
  InputOf<"voice_room", A>,
  ReplyOf<"voice_room", A>,
  Prepared
>;

export type VoiceAsk<A extends Name> = Ask<InputOf<"voice_room", A>>;

/** Changed seats are announced, and voice rights that follow from them are set, without being named in it. */
export type VoiceDecision<Reply = unknown> = Decision<Live, Reply>;
