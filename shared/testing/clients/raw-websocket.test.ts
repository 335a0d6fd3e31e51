import { createServer } from "node:http";
import type { Socket } from "node:net";
import { expect } from "chai";
import { closeServer, listen } from "#shared/start/http-server.ts";
import { openRawWebSocket } from "./raw-websocket.ts";

describe("a raw WebSocket", () => {
  it("closes when it is disconnected and when it is ended", async () => {
    const server = createServer().on("upgrade", (_request, socket: Socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
      socket.once("data", (data: Buffer) => (data.at(-1) === 1 ? socket.resetAndDestroy() : socket.end()));
    });
    const url = await listen(server, "127.0.0.1", 0);
    const cut = await openRawWebSocket(url, "/");
    cut.send(Uint8Array.of(1));
    const ended = await openRawWebSocket(url, "/");
    ended.send(Uint8Array.of(2));
    expect(await Promise.all([cut.closed, ended.closed])).to.have.length(2);
    await closeServer(server);
  });
});
