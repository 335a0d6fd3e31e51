import type { ActionSpec } from "./action-spec.ts";
import { exampleIds, exampleToken } from "./examples.ts";
import { flag, id, object, text } from "./fields.ts";
import { gameActions, lobbyActions } from "./game-actions.ts";

export type { ActionSpec } from "./action-spec.ts";
export * from "./voice-actions.ts";

const empty = object({});

/** Actions that don't belong to a voice room, sent over Socket.IO or by a native client in any room. */
export const userActions = {
  "typing:dm": {
    payload: object({ conversation_id: id(exampleIds.conversation), typing: flag() }),
    reply: empty,
    blocks: "shared",
    errors: ["NOT_FOUND", "FORBIDDEN"],
    by: "both users of the conversation",
    summary: "Send a typing indicator",
    description:
      "Notifies the other user that you started or stopped typing. Not stored, and not sent to connections that lag behind.",
    origin: "contract",
  },
  ...lobbyActions,
  ...gameActions,
} as const satisfies Record<string, ActionSpec>;

/** Actions on the connection itself, handled by both transports. */
export const connectionActions = {
  "auth:refresh": {
    payload: object({ token: text(1, 4096, exampleToken) }),
    reply: empty,
    errors: [],
    by: "the connection's user",
    summary: "Replace the connection's access token",
    description:
      "Keeps the connection open past the expiry of its token, over Socket.IO and Colyseus. Send it before, or within a " +
      "minute after, the token expires. The new token must belong to the same user.",
    origin: "extension",
  },
} as const satisfies Record<string, ActionSpec>;
