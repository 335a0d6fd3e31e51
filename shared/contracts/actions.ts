import { type ActionSpec, action } from "./action-spec.ts";
import { flag, id, input, text, view } from "./fields.ts";
import { type GameInputs, type GameReplies, gameActions } from "./game-actions.ts";

export type { ActionSpec } from "./action-spec.ts";
export * from "./voice-actions.ts";

const empty = view({});

/**
 * What a client may ask that concerns no voice room, over Socket.IO or as a native client in whichever room. The engine's
 * `user-events.ts` says what carries each out.
 */
export const userActions = {
  "typing:dm": action({
    payload: input({ conversation_id: id().required(), typing: flag().required() }),
    reply: empty,
    errors: ["NOT_FOUND", "FORBIDDEN", "BLOCKED"],
    by: "member of the conversation",
    summary:
      "Show the other one that you are typing, or no longer. Not stored; dropped for a connection that is behind.",
    origin: "contract",
  }),
  ...gameActions,
} as const satisfies Record<string, ActionSpec>;

export type UserAction = keyof typeof userActions;

export interface UserInputs extends GameInputs {
  "typing:dm": { conversation_id: string; typing: boolean };
}

export interface UserReplies extends GameReplies {
  "typing:dm": object;
}

/** What a client may ask of its connection; both doors carry it out themselves. */
export const connectionActions = {
  "auth:refresh": action({
    payload: input({ token: text(1, 4096, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl").required() }),
    reply: empty,
    errors: [],
    by: "whoever the connection is of",
    summary: "Go on with a new access token; it must be the same user's.",
    origin: "extension",
  }),
} as const satisfies Record<string, ActionSpec>;
