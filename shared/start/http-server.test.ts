import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import { closeServer, listen, makeServer, networkUrls } from "./http-server.ts";

describe("the http server", () => {
  it("returns a URL for humans", async () => {
    const server = createServer();
    expect(await listen(server, "0.0.0.0", 0)).to.match(/^http:\/\/localhost:\d+$/);
    await closeServer(server);
  });

  it("names the URLs for other machines, unless it listens on loopback", () => {
    for (const url of ["http://127.0.0.1:3000", "http://127.8.8.8:3000", "http://[::1]:3000"])
      expect(networkUrls(new URL(url).hostname, url)).to.deep.equal([]);
    expect(networkUrls("192.0.2.7", "http://192.0.2.7:3000")).to.deep.equal(["http://192.0.2.7:3000"]);
    for (const url of networkUrls("0.0.0.0", "http://localhost:3000")) expect(url).to.match(/^http:\/\/[\d.]+:3000$/);
  });

  it("keeps idle connections longer than clients do", async () => {
    const server = createServer((_request, answer) => void answer.end());
    const url = await listen(server, "127.0.0.1", 0);
    expect((await fetch(url)).headers.get("keep-alive")).to.equal("timeout=65");
    await closeServer(server);
  });

  it("closes connections whose requests drip", async () => {
    const server = makeServer((request, answer) => request.resume().on("end", () => answer.end()), {
      headersMs: 200,
      requestMs: 200,
    });
    const url = await listen(server, "127.0.0.1", 0);
    const heads = [
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX-Drip: ",
    ];
    for (const head of heads) {
      const dripping = connect(Number(new URL(url).port), "127.0.0.1");
      dripping.write(head);
      const drip = setInterval(() => dripping.write("x"), 20);
      dripping.on("error", () => clearInterval(drip)).resume();
      await new Promise((resolve) => dripping.once("close", resolve));
      clearInterval(drip);
    }
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
