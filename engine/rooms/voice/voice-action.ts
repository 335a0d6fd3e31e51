import type { ActionOf, InputOf } from "#shared/contracts/actors.ts";
import type { Live } from "#shared/domain/live/rooms/live.ts";
import type { Ask, Decision, SomeActions } from "../../core/decision.ts";
import type { RoomData } from "./room-data.ts";

export type VoiceActions<Prepared = object> = SomeActions<"voice_room", RoomData, Live, Prepared>;

export type VoiceAsk<A extends ActionOf<"voice_room">> = Ask<InputOf<"voice_room", A>>;

/** Adds what follows from changed seats to every decision: their announcement, and voice permissions. */
export type VoiceDecision<Reply = unknown> = Decision<Live, Reply>;
