import { expect } from "chai";
import { callMatchmaker, closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { freePort } from "#shared/testing/free-port.ts";
import {
  openRoom,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

type State = "serving" | "stopping" | "stopped";

/** What each door answers, by the state of the process. */
const doors: Readonly<Record<string, Readonly<Record<State, string>>>> = {
  "/healthz": { serving: "200", stopping: "200", stopped: "closed" },
  "/readyz": { serving: "200", stopping: "503", stopped: "closed" },
  // The client's next request goes to another process.
  REST: { serving: "200 keep-alive", stopping: "200 close", stopped: "closed" },
  "Socket.IO": { serving: "joined", stopping: "joined", stopped: "closed" },
  matchmaking: { serving: "reserved", stopping: "reserved", stopped: "closed" },
};

describe("a process that is told to stop", function () {
  this.timeout(60_000);
  after(async () => {
    await closeClients();
    await stopServices();
  });

  it("serves at each door until its connections and rooms have moved, but isn't ready", async () => {
    const metricsPort = await freePort();
    const service = await spawnService({
      NODE_ENV: "test",
      DATABASE_URL: await createDatabase({ migrated: true }),
      METRICS_PORT: `${metricsPort}`,
      DRAIN_SECONDS: "10",
    });
    const host = await register(service);
    const room_id = await openRoom(service, host);
    const found: Record<string, Record<string, string>> = Object.fromEntries(Object.keys(doors).map((at) => [at, {}]));
    const look = async (state: State) => {
      const { token } = state === "stopped" ? host : await register(service);
      for (const [door, answer] of Object.entries(await knock(service, { token, room_id, metricsPort })))
        found[door]![state] = answer;
    };

    await look("serving");
    const stopped = service.stop();
    await until("it says so", () => service.output().includes("shutting down"));
    // What `/readyz` answers is a second old at most.
    await until("it isn't ready", async () => (await statusOf(`http://127.0.0.1:${metricsPort}/readyz`)) === "503");
    await look("stopping");
    expect(await stopped).to.equal(0);
    await look("stopped");

    expect(found).to.deep.equal(doors);
  });
});

const statusOf = (url: string) => fetch(url).then(({ status }) => `${status}`);

async function knock(
  { url }: SpawnedService,
  { token, room_id, metricsPort }: { token: string; room_id: string; metricsPort: number },
): Promise<Record<string, string>> {
  const closed = () => "closed";
  const rest = async () => {
    const { status, headers } = await fetch(`${url}/api/v1/rooms/${room_id}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return `${status} ${headers.get("connection")}`;
  };
  const socket = async () => {
    const client = await connectSocket(url, token);
    const { error } = await client.ask("room:join", { room_id });
    return error?.code ?? "joined";
  };
  const place = async () => {
    const { body } = await callMatchmaker(url, "join/voice_room", { room_id }, token);
    return body.sessionId ? "reserved" : body.error?.code;
  };
  return {
    "/healthz": await statusOf(`${url}/healthz`).catch(closed),
    "/readyz": await statusOf(`http://127.0.0.1:${metricsPort}/readyz`).catch(closed),
    REST: await rest().catch(closed),
    "Socket.IO": await socket().catch(closed),
    matchmaking: await place().catch(closed),
  };
}
