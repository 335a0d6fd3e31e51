import { Client } from "@colyseus/sdk";
import { io } from "socket.io-client";

/** How clients connect. */
export type Door = "socket" | "colyseus";

/** A client in a room, over one of the doors. */
export interface ChatClient {
  /** Resolves with the acknowledgement. */
  say(body: string): Promise<unknown>;
  /** Returns what removes the listener. */
  listen(heard: (body: string) => void): () => void;
  close(): void;
}

export interface Ticket {
  /** Of the connection: a token, or the name on a bare server. */
  readonly auth: { readonly token: string } | { readonly name: string };
  readonly roomId: string;
}

interface NewMessage {
  readonly message: { readonly body: string };
}

async function overSocket(url: string, { auth, roomId }: Ticket): Promise<ChatClient> {
  const socket = io(url, { auth, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  const answer = (await socket.emitWithAck("room:join", { room_id: roomId })) as { success: boolean };
  if (!answer.success) throw new Error(`joining was answered with ${JSON.stringify(answer)}`);
  return {
    say: (body) => socket.timeout(10_000).emitWithAck("room:message", { room_id: roomId, body }),
    listen: (heard) => {
      const listener = ({ message }: NewMessage) => heard(message.body);
      socket.on("room:new_message", listener);
      return () => void socket.off("room:new_message", listener);
    },
    close: () => void socket.disconnect(),
  };
}

async function overColyseus(url: string, { auth, roomId }: Ticket): Promise<ChatClient> {
  const client = new Client(url);
  if ("token" in auth) client.auth.token = auth.token;
  const room = await client.join("voice_room", { room_id: roomId });
  room.reconnection.enabled = false;
  room.onMessage("*", () => {});
  return {
    say: (body) => room.request("room:message", { body }, { timeout: 10_000 }),
    listen: (heard) => room.onMessage("room:new_message", ({ message }: NewMessage) => heard(message.body)),
    close: () => void room.leave(),
  };
}

export const enterRoom = { socket: overSocket, colyseus: overColyseus } as const satisfies Record<Door, unknown>;
