import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import type { Session } from "#shared/contracts/views/game-views.ts";
import { newId } from "#shared/kernel/ids.ts";
import {
  closeClients,
  connectSocket,
  joinNative,
  type Payload,
  type SocketClient,
} from "#shared/testing/clients/clients.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import {
  type Registered,
  register,
  type SpawnedService,
  spawnService,
  stopServices,
} from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

describe("a game between two processes", function () {
  this.timeout(60_000);
  let redis: TestRedis;
  let databaseUrl: string;
  let a: SpawnedService;
  let b: SpawnedService;
  let ada: Registered;
  let grace: Registered;

  before(async () => {
    redis = await startRedis();
    databaseUrl = await createDatabase({ migrated: true });
    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "game-cluster-")),
      JWT_SECRET: "one secret for them all, of 40 characters",
    };
    [a, b] = await Promise.all([spawnService(environment), spawnService(environment)]);
    [ada, grace] = await Promise.all([register(a), register(b)]);
  });
  after(async () => {
    closeClients();
    await stopServices();
    await redis.stop();
  });

  const post = async (service: SpawnedService, { token }: Registered, path: string, body: object = {}) => {
    const answer = await service.call("post", `/games${path}`, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300);
    return answer.body.data as Payload;
  };
  const actorsOf = async ({ url }: SpawnedService) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^hubbub_actors\{kind="game_session"\} (\d+)/m.exec(text)?.[1] ?? 0);
  };

  it("has one actor for the clients of both, and continues in the other when its process is killed", async () => {
    const { id } = await post(a, ada, "/lobbies", { type: "snakes_and_ladders" });
    await post(a, grace, `/lobbies/${id}/join`);
    await post(b, grace, `/lobbies/${id}/ready`);
    const { session_id } = await post(a, ada, `/lobbies/${id}/start`);
    const hosting = await Promise.all([a, b].map(actorsOf));
    expect(hosting).to.have.members([1, 0]);
    const [owner, other] = hosting[0] === 1 ? [a, b] : [b, a];
    const adaSocket = await connectSocket(owner.url, ada.token);
    const graceSocket = await connectSocket(other.url, grace.token);
    const native = await joinNative(other.url, grace.token, { session_id } as never, "game_session");

    const roll = { session_id, action: { kind: "roll" } };
    const version = (wanted: number) => (event: Payload) =>
      event.session_id === session_id && event.state.version === wanted;
    const by = async (client: Pick<SocketClient, "ask">): Promise<Session> => {
      const answer = await client.ask("game:action", roll);
      expect(answer.success, JSON.stringify(answer.error)).to.equal(true);
      return answer.data;
    };
    await by(adaSocket);
    await graceSocket.inbox.next("game:state", version(2));
    await by(graceSocket);
    await adaSocket.inbox.next("game:state", version(3));
    await by(adaSocket);
    const last = await by(native);
    await until("the state is patched", () => native.room.state.version === 5);
    // The actor checks every three seconds which players are connected.
    const bothAreSeen = ({ state }: Payload) =>
      state.id === session_id && state.players.every(({ connected }: Payload) => connected);
    await graceSocket.inbox.next("game:state", bothAreSeen, 10_000);

    await owner.stop("SIGKILL");
    // Either may be the owner. What follows asks the one that runs.
    a = other;
    const { body } = await other.call("get", `/games/sessions/${session_id}`, { token: grace.token });
    expect(body.data).to.deep.include({ version: 5, board: last.board, seed_hash: last.seed_hash, turn: last.turn });
    await until("the metrics show its actor", async () => (await actorsOf(other)) === 1);
    const back = await connectSocket(other.url, ada.token);
    const next = await by(back);
    expect(next.version).to.equal(6);
    await graceSocket.inbox.next("game:state", version(6));
  });

  it("isn't refused by an actor that doesn't know of its successor", async () => {
    const { id } = await post(a, ada, "/lobbies", { type: "snakes_and_ladders" });
    await post(a, grace, `/lobbies/${id}/join`);
    await post(a, grace, `/lobbies/${id}/ready`);
    const { session_id } = await post(a, ada, `/lobbies/${id}/start`);
    const [actionId, client] = [newId(), new pg.Client({ connectionString: databaseUrl })];
    await client.connect();
    // The successor has taken Grace's action, though it is Ada's turn by what the old actor knows.
    await client.query(
      `UPDATE game_sessions SET epoch = epoch + 1,
         state = jsonb_set(state, '{actionIds}', jsonb_build_object($2::text, jsonb_build_array($3::text))) WHERE id = $1`,
      [session_id, grace.id, actionId],
    );
    await client.end();

    const repeated = { kind: "roll", action_id: actionId };
    const answer = await post(a, grace, `/sessions/${session_id}/action`, repeated);

    expect(answer).to.include({ id: session_id, version: 1 });
  });
});
