import { textRules } from "./docs/text-rules.ts";
import type { ApiDocument } from "./http/api.ts";

const introduction = `Voice rooms, seats, chat, gifts and coins.

Every response is JSON: \`{ "success": true, "data": … }\`, or \`{ "success": false, "error": { "code", "message" } }\` with
a code from the [error reference](/docs/errors). Times are ISO 8601 in UTC. IDs are UUIDs that sort by creation time. Coins
are integers. Unknown fields of a body are rejected; unknown query parameters are ignored.

${textRules}

Paged lists take \`page\` and \`limit\`. Cursor lists are sorted newest first and take \`before\`: the ID of the last item
seen.

Log in with \`POST /auth/login\` and send \`Authorization: Bearer <accessToken>\`. A token expires after 15 minutes;
\`POST /auth/refresh\` returns a new one. Room events are pushed over Socket.IO on the same port, see
[events](/docs/events). An action has the same events, whether it is sent over REST or Socket.IO.`;

/** What the document of the API of the app says beside its operations. */
export const socialDocument: ApiDocument = {
  title: "Hubbub",
  introduction,
  tags: {
    Auth: "Registration, login, tokens, sessions and passwords.",
    Users: "Profiles, follows, blocks, settings and devices.",
    Friends: "Friend requests and friends.",
    Reports: "Reports to the administrators.",
    Config: "What clients need to know before a login.",
    Wallet: "Coins: the balance and its history.",
    Rooms: "Voice rooms, seats, members and chat.",
    Voice: "Tokens for the media server.",
    Gifts: "The gift catalog and sending.",
    Games: "Lobbies, game sessions and their results.",
    Conversations: "Direct messages.",
    Payments: "Coin packages and orders.",
    Store: "Frames and VIP plans.",
    Feed: "Posts, likes and comments.",
    Notifications: "What others did that concerns you.",
    Events: "Campaigns.",
    Leaderboards: "Weekly rankings.",
    Support: "Tickets.",
    Account: "Deletion of your account.",
  },
  securityScheme: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "An access token, as returned by `POST /auth/login`.",
  },
};
