import { anonymousMax, connectionsMax, eventRate, floodPoints, framesMax } from "#shared/contracts/client-events.ts";
import { closeCodeTexts } from "#shared/contracts/close-codes.ts";
import { textRules } from "./text-rules.ts";

/** A realtime transport. Both transports carry the same events. */
export interface Transport {
  /** Prefix of the names of the transport's operations. */
  readonly prefix: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  /** Path of the server's URL. */
  readonly pathname: string;
  readonly protocol: (secure: boolean) => string;
  readonly protocolVersion: string;
  /** Address of the channel. */
  readonly address: string;
  readonly parameters?: Record<string, { description: string }>;
  readonly security: object;
  /** Example code that connects a client. */
  readonly snippet: string;
}

const tokenMeaning = "An access token (JWT), valid for 15 minutes.";

const closeCodeList = Object.entries(closeCodeTexts)
  .map(([code, text]) => `${code} (${text})`)
  .join(", ");

export const transports = {
  socketIo: {
    prefix: "",
    title: "Socket.IO",
    summary: "Namespace `/`, path `/socket.io`, on the port of the REST API.",
    description:
      "Emit an event with one object and, to receive a reply, an acknowledgement callback. Works with any Socket.IO 4 " +
      "client, over WebSocket or HTTP long-polling.",
    pathname: "/socket.io/",
    protocol: (secure) => (secure ? "wss" : "ws"),
    protocolVersion: "Socket.IO 5, Engine.IO 4",
    address: "/",
    security: {
      type: "apiKey",
      in: "password",
      description: `${tokenMeaning} Pass it as \`token\` in the handshake's \`auth\` object.`,
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
    summary: "The rooms `voice_room` and `game_session`, joined with `@colyseus/sdk` 0.18, on the same port.",
    description:
      "Join `voice_room` with the payload of `room:join`, and `game_session` with `{ session_id }`. In addition to events, " +
      "the client receives the room's state as schema patches. `room.request(event, payload)` resolves to the same " +
      "envelope as an acknowledgement; `room.send` gets no reply. In a voice room, you can omit `room_id` from payloads. " +
      "`joinOrCreate` works like `join`, and `joinById` takes the ID of a room or game; rooms are created with " +
      "`POST /rooms`. If you can't join, the SDK throws an error whose message is the error code, a colon, and the text; " +
      "the response is an envelope. " +
      `Connections are closed with these codes: ${closeCodeList}. ` +
      "In a game, you can only send events that don't belong to a voice room. The state of a game is the spectators' view: " +
      "`board` is a JSON string, and where the session has null, `turn_user_id` and `deadline_at` are empty and `place` is 0. " +
      "Your own view, with `you`, comes in `game:state`.",
    pathname: "/",
    protocol: (secure) => (secure ? "wss" : "ws"),
    protocolVersion: "Colyseus 0.18",
    address: "/{processId}/{roomId}",
    parameters: {
      processId: {
        description: "The process that hosts the room, as returned by matchmaking (`POST /matchmake/join/voice_room`).",
      },
      roomId: { description: "The ID of the voice room or game session." },
    },
    security: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: `${tokenMeaning} Set \`client.auth.token\`, and the SDK sends it with matchmaking requests.`,
    },
    snippet: `import { Client } from "@colyseus/sdk";

const client = new Client("https://…");
client.auth.token = accessToken;
const room = await client.join("voice_room", { room_id });
// At once: the SDK drops events that come before the first listener.
room.onMessage("*", (event, payload) => console.log(event, payload));
const answer = await room.request("room:message", { body: "Good evening!" });`,
  },
} as const satisfies Record<string, Transport>;

export type TransportName = keyof typeof transports;

/** The introduction of the AsyncAPI document and of the events page, one paragraph per item. */
export const principles: readonly string[] = [
  "You authenticate once, with your access token, when you connect. Without a valid token, the connection fails with " +
    "`connect_error`, whose `data` is `{ code, message, doc_url }`. If your session ends or your account is suspended, the server " +
    "closes the connection at once, and you leave your room if you have no other connection to it. If the token expires, " +
    "your events fail with `TOKEN_EXPIRED` until you send a new token with `auth:refresh`, and the server closes the " +
    "connection after a minute.",
  "Replies use the envelope of the REST API: " +
    '`{ "success": true, "data": … }`, or `{ "success": false, "error": { "code", "message", "doc_url" } }` with a code from the ' +
    "[error reference](/docs/errors). If an event sent without an acknowledgement callback fails, the server sends an " +
    "`error` event.",
  "An action causes the same events whether you request it over REST, Socket.IO, or Colyseus.",
  "Events sent to everyone in a room have a sequence number, `seq`, which increases by one with each event of the room. " +
    "A `Room` contains the `seq` of the last event that it includes. If you see a gap, or reconnect, call `room:sync`. " +
    "Events sent to only some members have no `seq`, and `room:sync` may send them again.",
  `You can send ${eventRate.points} events in ${eventRate.seconds} s, over all your connections together; further events ` +
    `fail with \`RATE_LIMITED\`, and ${floodPoints} events close your connections. The same limit applies to new connections, and you can have at most ` +
    `${connectionsMax} connections at a time. From one address, ${anonymousMax} connections can be about to sign in, and each can send ` +
    `${framesMax} frames in a second, of any kind. The ` +
    "server closes a connection that isn't signed in within 10 s, and one that doesn't read while more than 1 MB waits for it.",
  textRules,
];
