import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import express from "express";
import { configureLogger } from "#shared/kernel/logger.ts";
import { until } from "#shared/testing/until.ts";
import { observeRequests } from "./observe.ts";

describe("the log of requests", () => {
  const lines: string[] = [];
  const app = express()
    .use(observeRequests)
    .get("/:status/:code", (req, res) => {
      res.locals.caller = { userId: "ada" };
      if (req.params.code !== "-") res.locals.code = req.params.code;
      res.status(Number(req.params.status)).end();
    });
  const server = createServer(app);

  before(async () => {
    configureLogger({ level: "trace", pretty: false, destination: { write: (line) => lines.push(line) } });
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  after(() => {
    configureLogger({ level: "silent", pretty: false });
    server.close();
  });

  it("calls faults only what is one", async () => {
    const { port } = server.address() as AddressInfo;
    const levels = {
      "200/-": 20,
      "404/NOT_FOUND": 20,
      "500/INTERNAL_ERROR": 50,
      "502/-": 50,
      "503/ENGINE_UNAVAILABLE": 40,
      "503/VOICE_NOT_CONFIGURED": 20,
      "522/-": 20,
    };
    for (const path of Object.keys(levels)) {
      await fetch(`http://127.0.0.1:${port}/${path}`);
    }
    const logged = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    await until("all are logged", () => logged().length === 7);
    expect(logged().map(({ level }) => level)).to.deep.equal(Object.values(levels));
    expect(logged()[1]).to.include({ status: 404, code: "NOT_FOUND", userId: "ada" });
  });
});
