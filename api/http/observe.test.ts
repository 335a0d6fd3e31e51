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
    .get("/:status", (req, res) => void res.status(Number(req.params.status)).end());
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
    const levels = { 200: 20, 404: 20, 500: 50, 503: 50, 522: 20 };
    for (const status of Object.keys(levels)) await fetch(`http://127.0.0.1:${port}/${status}`);
    const logged = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    await until("all are logged", () => logged().length === 5);
    expect(Object.fromEntries(logged().map(({ status, level }) => [status, level]))).to.deep.equal(levels);
  });
});
