import { connectionsMax, eventRate } from "#shared/contracts/client-events.ts";
import { textRules } from "./text-rules.ts";

/** One of the two realtime doors. The same events pass through both. */
export interface Door {
  /** Before the names of the door's operations. */
  readonly prefix: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  /** In the address of the server. */
  readonly pathname: string;
  readonly protocol: (secure: boolean) => string;
  readonly protocolVersion: string;
  /** Of its channel. */
  readonly address: string;
  readonly parameters?: Record<string, { description: string }>;
  readonly security: object;
  /** How a client enters, to read and to copy. */
  readonly snippet: string;
}

const tokenMeaning = "The `accessToken` of a login or a refresh, a JWT that lives 15 minutes.";

export const doors = {
  socketIo: {
    prefix: "",
    title: "Socket.IO",
    summary: "Namespace `/`, path `/socket.io`, on the port of the REST API.",
    description:
      "A client event takes one object and, if the client wants an answer, an acknowledgement function. Any Socket.IO " +
      "client of version 4 speaks it, over WebSocket or polling.",
    pathname: "/socket.io/",
    protocol: (secure) => (secure ? "wss" : "ws"),
    protocolVersion: "Socket.IO 5, Engine.IO 4",
    address: "/",
    security: {
      type: "apiKey",
      in: "password",
      description: `${tokenMeaning} Sent as the member \`token\` of the handshake's \`auth\` object.`,
    },
    snippet: `import { io } from "socket.io-client";

const socket = io("https://…", { auth: { token: accessToken } });
socket.on("connect_error", ({ data }) => console.log(data.code, data.message));
socket.onAny((event, payload) => console.log(event, payload));
const answer = await socket.emitWithAck("room:join", { room_id });`,
  },
  colyseus: {
    prefix: "native.",
    title: "Native Colyseus clients",
    summary: "The actors `voice_room` and `game_session`, joined with `@colyseus/sdk` 0.18, on the same port.",
    description:
      "`voice_room` is joined with what `room:join` takes, `game_session` with `{ session_id }`. The client sees the " +
      "actor's state by schema patches beside the events. `room.request(event, payload)` is answered with the same " +
      "envelope as an acknowledgement, `room.send` is not answered. In a voice room `room_id` may be left out of payloads; " +
      "in a game only those events may be sent that concern no room, and the state is what a spectator sees: `board` is the " +
      "JSON of the session's, `turn_user_id` and `deadline_at` are empty and `place` is 0 where the session has null. `you` " +
      "comes in `game:state`.",
    pathname: "/",
    protocol: (secure) => (secure ? "wss" : "ws"),
    protocolVersion: "Colyseus 0.18",
    address: "/{processId}/{roomId}",
    parameters: {
      processId: { description: "Where the actor lives; matchmaking (`POST /matchmake/join/voice_room`) answers it." },
      roomId: { description: "The id of the room or of the game's session." },
    },
    security: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: `${tokenMeaning} The SDK sends it with matchmaking: \`client.auth.token = accessToken\`.`,
    },
    snippet: `import { Client } from "@colyseus/sdk";

const client = new Client("https://…");
client.auth.token = accessToken;
const room = await client.join("voice_room", { room_id });
room.onMessage("*", (event, payload) => console.log(event, payload));
const answer = await room.request("room:message", { body: "Good evening!" });`,
  },
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof doors;

/** What holds for both doors: the introduction of the document and of the page, a paragraph each. */
export const principles: readonly string[] = [
  "Who connects says who he is once, by his access token; no event says it. Without a token that holds, connecting fails " +
    "with `connect_error`, whose `data` is `{ code, message }`. When the session ends or the account is suspended, the " +
    "connection is closed within a second or two. When only the token expires, the next event is refused with " +
    "`TOKEN_EXPIRED`, and `auth:refresh` goes on with a new one.",
  "Every answer is the envelope of the REST API: " +
    '`{ "success": true, "data": … }`, or `{ "success": false, "error": { "code", "message" } }` with a code from the ' +
    "[error reference](/docs/errors). An event sent without an acknowledgement is answered only if it is refused, by the " +
    "event `error`.",
  "The same action by REST causes the same events, once, whichever door it came through.",
  "Every event that goes to a whole room carries `seq`, which rises by one in each room; a `Room` carries the `seq` it was " +
    "read at. A client that sees a gap, or comes back after a break, asks `room:sync`. An event that goes to a few has no " +
    "`seq`; it may come again after `room:sync`.",
  `A connection may send ${eventRate.points} events in ${eventRate.seconds} s; what is more is refused with \`RATE_LIMITED\`. ` +
    `So is connecting more often than that, or with ${connectionsMax} connections open.`,
  textRules,
];
