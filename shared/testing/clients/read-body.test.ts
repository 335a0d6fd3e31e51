import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import { closeServer, listen } from "#shared/start/http-server.ts";
import { readBody } from "./read-body.ts";

describe("readBody", () => {
  it("reads a whole body, and returns undefined for an aborted request", async () => {
    const read: Promise<string | undefined>[] = [];
    const server = createServer((req, res) => {
      read.push(readBody(req).finally(() => res.end()));
    });
    const url = await listen(server, "127.0.0.1", 0);
    await fetch(url, { method: "POST", body: "Grüße" });
    const client = connect(Number(new URL(url).port), "127.0.0.1");
    client.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
    await once(server, "request");
    client.destroy();
    expect(await Promise.all(read)).to.deep.equal(["Grüße", undefined]);
    await closeServer(server);
  });
});
