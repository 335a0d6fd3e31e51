import { expect } from "chai";
import { useDatabase } from "#shared/testing/database.ts";
import { noEngine } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { makeApp } from "../app.ts";
import { operationsApp, shuttingDown } from "./health.ts";

const production = makeApp({
  actors: noEngine,
  corsOrigins: ["*"],
  privateOrigins: [],
  trustedProxies: [],
  rateLimits: false,
  serveApi: true,
  devPages: false,
});

describe("the endpoints for operators", () => {
  useDatabase();
  let asked = 0;
  const ready = useApp(
    operationsApp(async () => {
      asked += 1;
      return [];
    }),
  );
  const unready = useApp(operationsApp(async () => ["redis"]));
  const ending = useApp(operationsApp(async () => [shuttingDown]));
  const open = useApp(production);

  it("are not open to the public", async () => {
    const statuses = ["/healthz", "/readyz", "/metrics"].map(async (path) => (await fetch(open.url + path)).status);

    expect(await Promise.all(statuses)).to.deep.equal([200, 404, 404]);
  });

  it("say what is missing", async () => {
    const answer = await fetch(`${unready.url}/readyz`);

    expect([answer.status, await answer.json()]).to.deep.equal([503, { status: "not ready", missing: ["redis"] }]);
  });

  it("keep a process whose dependencies are away, if asked for the process alone, until it shuts down", async () => {
    const statuses = [unready, ending].map(async ({ url }) => (await fetch(`${url}/readyz?self`)).status);

    expect(await Promise.all(statuses)).to.deep.equal([200, 503]);
  });

  it("ask the database once a second, however often they are called", async () => {
    // However busy the machine is, this takes no time.
    const { now } = performance;
    const nowMs = now.call(performance);
    performance.now = () => nowMs;
    after(() => {
      performance.now = now;
    });
    const callAll = (path: string) =>
      Promise.all(Array.from({ length: 50 }, async () => (await fetch(ready.url + path)).text()));

    const readiness = await callAll("/readyz");
    const metrics = await callAll("/metrics");

    expect(new Set(readiness)).to.deep.equal(new Set(['{"status":"ready","missing":[]}']));
    expect(asked).to.equal(1);
    // Made once: each time, at least the CPU time would differ.
    expect(new Set(metrics).size).to.equal(1);
  });
});
