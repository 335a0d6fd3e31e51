import type { ActionSpec } from "./action-spec.ts";
import { flag, type Infer, id, object, text } from "./fields.ts";
import { gameActions } from "./game-actions.ts";

export type { ActionSpec } from "./action-spec.ts";
export * from "./voice-actions.ts";

const empty = object({});

/**
 * What a client may ask that concerns no voice room, over Socket.IO or as a native client in whichever room. The engine's
 * `user-events.ts` says what carries each out.
 */
export const userActions = {
  "typing:dm": {
    payload: object({ conversation_id: id(), typing: flag() }),
    reply: empty,
    errors: ["NOT_FOUND", "FORBIDDEN", "BLOCKED"],
    by: "member of the conversation",
    summary:
      "Show the other one that you are typing, or no longer. Not stored; dropped for a connection that is behind.",
    origin: "contract",
  },
  ...gameActions,
} as const satisfies Record<string, ActionSpec>;

export type UserAction = keyof typeof userActions;

export type UserInputs = { [A in UserAction]: Infer<(typeof userActions)[A]["payload"]> };

export type UserReplies = { [A in UserAction]: Infer<(typeof userActions)[A]["reply"]> };

/** What a client may ask of its connection; both doors carry it out themselves. */
export const connectionActions = {
  "auth:refresh": {
    payload: object({ token: text(1, 4096, "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl") }),
    reply: empty,
    errors: [],
    by: "whoever the connection is of",
    summary: "Go on with a new access token; it must be the same user's.",
    origin: "extension",
  },
} as const satisfies Record<string, ActionSpec>;
