import type { AddressInfo } from "node:net";
import { type Client, type MessageContext, matchMaker, Room, Server } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";

/**
 * A minimal Colyseus server with one kind of room, which forwards messages and stores nothing. Its messages have the
 * same schema and size as the service's. `GET /cpu` returns its CPU time, seconds.
 */
class BareRoom extends Room {
  override maxClients = 10_000;
  override autoDispose = false;
  #seq = 0;

  override onCreate(): void {
    this.roomId = "room";
    this.onMessage("room:message", (client: Client, { body }: { body: string }, context: MessageContext) => {
      this.#seq += 1;
      const { roomId: room_id } = this;
      const user = {
        id: client.sessionId,
        username: "load",
        full_name: "Load Test",
        avatar_url: null,
        country: null,
        is_online: true,
        vip: null,
        frame: null,
      };
      const id = crypto.randomUUID();
      const message = { id, room_id, user, body, kind: "text", created_at: new Date().toISOString() };
      this.broadcast("room:new_message", { room_id, message, seq: this.#seq });
      return context.id === undefined ? undefined : { success: true, data: message };
    });
  }
}

const server = new Server({
  transport: new WebSocketTransport(),
  greet: false,
  gracefullyShutdown: false,
  express: (app) => {
    app.get("/cpu", (_req, res) => {
      const { user, system } = process.cpuUsage();
      res.send(String((user + system) / 1e6));
    });
  },
});
server.define("voice_room", BareRoom);
await server.listen(0, "127.0.0.1");
await matchMaker.createRoom("voice_room", {});
const { port } = (server.transport as WebSocketTransport).server!.address() as AddressInfo;
console.log(`listening on http://127.0.0.1:${port}`);
