import type { Room } from "@colyseus/core";
import type { ActorKind } from "#shared/contracts/actors.ts";
import type { Result } from "#shared/kernel/domain-error.ts";
import type { ActorRoom } from "./actor-room.ts";
import type { ActorData } from "./decision.ts";

/** `undone`: the actor was ending and the command had no effect, so its successor can get it. */
export type ActorResult = Result<unknown> & { readonly undone?: true };

/** What the directory uses of an actor. */
export type AnyActorRoom = Room &
  Pick<ActorRoom<ActorKind, ActorData<unknown>, unknown>, "perform" | "ended" | "rejectAll" | "isEnding" | "tick">;
