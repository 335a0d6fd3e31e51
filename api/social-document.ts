import { blockRules } from "#shared/contracts/block-rules.ts";
import { textRules } from "./docs/text-rules.ts";
import { extensionTags } from "./extensions.ts";
import type { ApiDocument } from "./http/api.ts";

const introduction = `The API of a social live-audio app: voice rooms, seats, chat, gifts, and coins.

**Authentication.** Log in with \`POST /auth/login\` and send \`Authorization: Bearer <accessToken>\` with each request. Access
tokens expire after 15 minutes. Get a new one with \`POST /auth/refresh\`.

**Responses.** All responses are JSON: \`{ "success": true, "data": … }\`, or
\`{ "success": false, "error": { "code", "message" } }\` with a code from the [error reference](/docs/errors),
which \`error.doc_url\` links to. A method that a path doesn't have is a \`METHOD_NOT_ALLOWED\` with an \`Allow\` header.

**Formats.** Times are ISO 8601 in UTC. IDs are UUIDs that sort by creation time. Coins are integers. Unknown fields in a body
are rejected, and unknown query parameters are ignored. ${textRules}

**Lists.** Paged lists take \`page\` and \`limit\`. Cursor lists are sorted newest first and take \`before\`, the ID of the last
item on the previous page.

**Blocks.** A block works both ways. Lists leave the other user and their content out. Each operation and event with an ID
states what you are told:

- To follow, befriend, or write to a user, or to list their posts: ${blockRules.person.text}
- For the profile, and to end a follow, friendship, or block: ${blockRules.profile.text}
- For their posts, comments, rooms, and lobbies: ${blockRules.content.text}
- For friend requests: ${blockRules.request.text}
- Where the two of you know of each other already, which is a conversation that exists, gifts and seats in a room, and joining
  a room or lobby that the other hosts: ${blockRules.shared.text}
- For reports and blocks, your own part in a room or game, your own comments and those on your posts, and what hosts and
  moderators do: ${blockRules.unaffected.text}

**Realtime events.** The server pushes events over Socket.IO and to native Colyseus clients, on the same port: see
[realtime events](/docs/events). An action causes the same events whether you request it over REST, Socket.IO, or Colyseus.`;

/** The document of the social API, except for its operations. */
export const socialDocument: ApiDocument = {
  file: "openapi.json",
  title: "Hubbub",
  introduction,
  tags: {
    Auth: "Registration, login, tokens, sessions, and passwords.",
    Users: "Profiles, follows, blocks, settings, and devices.",
    "API keys": "Keys for programs that use the catalogue API.",
    Webhooks: "Requests to your server about orders of the catalogue API.",
    Friends: "Friend requests and friends.",
    Reports: "Reports to the administrators.",
    Config: "Configuration that clients need before login.",
    Wallet: "Your coins: balance and transactions.",
    Earnings: "What you have earned by gifts: balance, movements, and the exchange to coins.",
    Agencies: "Agencies, their staff, invitations, and contracts with hosts.",
    Payouts: "Earnings paid out as money, and the identity check that it needs.",
    Sellers: "For coin sellers: their stock, and the coins that they pass on.",
    Rooms: "Voice rooms, seats, members, and chat.",
    Voice: "Tokens for the media server.",
    Gifts: "The gift catalog, sending gifts, and history.",
    Games: "Lobbies, game sessions, and their results.",
    Conversations: "Direct messages.",
    Payments: "Coin packages and orders.",
    Store: "Frames and VIP plans.",
    Feed: "Posts, likes, and comments.",
    Notifications: "Notifications about the actions of other users.",
    Events: "Campaigns.",
    Leaderboards: "Weekly rankings.",
    Support: "Support tickets.",
    Account: "Deletion of your account.",
    Media: "Uploaded pictures, sounds, and files.",
    ...extensionTags("users"),
  },
};
