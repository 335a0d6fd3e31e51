import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import { closeServer, listen } from "./http-server.ts";

describe("the http server", () => {
  it("returns a URL for humans", async () => {
    const server = createServer();
    expect(await listen(server, "0.0.0.0", 0)).to.match(/^http:\/\/localhost:\d+$/);
    await closeServer(server);
  });

  it("keeps idle connections longer than clients do", async () => {
    const server = createServer((_request, answer) => void answer.end());
    const url = await listen(server, "127.0.0.1", 0);
    expect((await fetch(url)).headers.get("keep-alive")).to.equal("timeout=65");
    await closeServer(server);
  });

  it("says what to change if it can't listen", async () => {
    const failure = await listen(createServer(), "192.0.2.1", 0).catch((error: Error) => error.message);
    expect(failure).to.include("192.0.2.1 isn't an address of this machine").and.include("HOST");
  });

  it("finishes pending requests, closes idle connections, and doesn't wait for WebSockets", async () => {
    const arrived: ServerResponse[] = [];
    const server = createServer((_request, answer) => arrived.push(answer));
    server.on("upgrade", (_request, socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    const url = await listen(server, "127.0.0.1", 0);
    const upgraded = connect(Number(new URL(url).port), "127.0.0.1");
    upgraded.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    await once(upgraded, "data");
    const request = fetch(url);
    await once(server, "request");
    let closed = false;
    const closing = closeServer(server).then(() => {
      closed = true;
    });
    expect(await fetch(url).catch((error: Error) => error.message)).to.equal("fetch failed");
    expect(closed).to.equal(false);
    arrived[0]?.end("finished");
    expect(await (await request).text()).to.equal("finished");
    await closing;
    upgraded.destroy();
  });
});
