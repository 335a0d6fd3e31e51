import type { Room } from "@colyseus/core";
import type { ActorKind } from "#shared/contracts/actors.ts";
import type { ActorRoom } from "./actor-room.ts";
import type { ActorData } from "./decision.ts";

/** What the directory uses of an actor. */
export type AnyActorRoom = Room &
  Pick<ActorRoom<ActorKind, ActorData<unknown>, unknown>, "perform" | "ended" | "moveAway" | "retired" | "tick">;
