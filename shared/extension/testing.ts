import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import jwt from "jsonwebtoken";
import pg from "pg";
import { io } from "socket.io-client";
import { ownerOf } from "#shared/testing/actor-placement.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { insertUsers } from "#shared/testing/insert-users.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import type { Answer } from "#shared/testing/service.ts";
import {
  openRoom,
  type Registered,
  register,
  runProgram,
  type SpawnedService,
  spawnService,
} from "#shared/testing/spawned-service.ts";

export { expect } from "chai";
export { playRandomly } from "#shared/testing/games/play-randomly.ts";
export { until } from "#shared/testing/until.ts";
export type { Answer, Registered };

/** A connection of a user: sends events, and keeps those of the service. */
export interface HouseClient {
  ask(event: string, payload: object): Promise<Answer["body"]>;
  readonly received: { readonly event: string; readonly payload: Record<string, unknown> }[];
}

/** The running service with an extension, on a database of its own. */
export interface House {
  /** Registers a user, who gets the signup bonus of 100 coins. */
  register(): Promise<Registered>;
  /** Adds users without coins at once, who needn't log in: a crowd. */
  crowd(count: number): Promise<Registered[]>;
  /** Calls an operation of users, such as `post`, `/red-packets`. */
  call(method: string, path: string, user?: Registered, body?: unknown): Promise<Answer>;
  /** Calls an operation as the super administrator, below `/admin`. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a room. Its host is in it. Returns its ID. */
  openRoom(host: Registered): Promise<string>;
  /** @throws Error with the code of a refusal */
  join(user: Registered, roomId: string): Promise<void>;
  connect(user: Registered): Promise<HouseClient>;
  /** Has a user buy coins, at the payment sandbox. */
  buy(user: Registered, coins: number): Promise<void>;
  /** Adds a gift with this price to the catalogue. Returns its ID. */
  addGift(price: number): Promise<string>;
  /** Sends a gift. Both users are in the room. Returns the ID of its transaction. */
  give(sender: Registered, roomId: string, recipient: Registered, giftId: string, quantity?: number): Promise<string>;
  /** Kills (SIGKILL) the process that a room's actor lives in, or the only one, and starts another in its place. */
  kill(roomId?: string): Promise<void>;
  /** Opens a lobby in which all are ready; the first hosts it. Returns its ID. @throws Error with a refusal's code */
  openLobby(type: string, players: readonly Registered[]): Promise<string>;
  /** Starts a game of these users. Returns the ID of its session. @throws Error with the code of a refusal */
  startGame(type: string, players: readonly Registered[]): Promise<string>;
  /** Runs SQL on the whole database, past all rules. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  coinsOf(user: Registered): Promise<number>;
  /** Runs a command of the service, such as `backup` with a file. */
  program(
    args: readonly string[],
    environment?: Record<string, string>,
  ): Promise<{ exitCode: number | null; output: string }>;
  /** Runs `npm run ledger:check`. Returns what it prints. */
  checkLedger(): Promise<string>;
  readonly url: string;
  /** What the processes have logged, such as why a hook failed. */
  readonly output: string;
}

/** Returns what a call has answered with. @throws Error with the code and the message of a refusal */
function dataOf({ body }: Answer): Answer["body"] {
  if (!body.success) throw new Error(`${body.error.code}: ${body.error.message}`);
  return body.data;
}

/** Signs the tokens of users in a house. */
const tokenSecret = "one secret for all processes of it";

function tokenOf(userId: string): string {
  const claims = { sid: randomUUID(), typ: "access" };
  return jwt.sign(claims, tokenSecret, { issuer: "hubbub", audience: "user", subject: userId, expiresIn: 900 });
}

const admin = { email: "root@example.com", password: "a long password of the root" };

/** Returns the folder of an extension, which has the file or one of the folders that it is in. */
function folderOf(url: string): string {
  let folder = dirname(fileURLToPath(url));
  while (!existsSync(join(folder, "index.ts")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** The processes of a house, and the Redis that several need. */
class Processes {
  running: SpawnedService[] = [];
  variables: Record<string, string> = {};
  #redis: TestRedis | undefined;
  #listing: Redis | undefined;

  async start(count: number, variables: Record<string, string>): Promise<void> {
    const secrets = {
      JWT_SECRET: tokenSecret,
      DATA_DIR: await mkdtemp(join(tmpdir(), "house-")),
    };
    if (count > 1) {
      this.#redis = await startRedis();
      this.#listing = new Redis(this.#redis.url);
    }
    this.variables = { ...secrets, ...(this.#redis && { REDIS_URL: this.#redis.url }), ...variables };
    this.running = await Promise.all(Array.from({ length: count }, () => this.#spawn()));
  }

  async kill(roomId: string | undefined): Promise<void> {
    const owner = roomId && this.#listing && (await ownerOf(this.#listing, roomId));
    const service = this.running.find(({ url }) => new URL(url).host === owner) ?? this.running[0]!;
    this.running = this.running.filter((one) => one !== service);
    await service.stop("SIGKILL");
    this.running.push(await this.#spawn());
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((service) => service.stop()));
    this.#listing?.disconnect();
    await this.#redis?.stop();
  }

  #spawn(): Promise<SpawnedService> {
    return spawnService({ ...this.variables, ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password });
  }
}

/** What buys coins and sends gifts in a house. */
const giftsIn = (house: () => House): Pick<House, "buy" | "addGift" | "give"> => ({
  buy: async (user, coins) => {
    const offered = { name: `Pouch ${randomUUID()}`, coins, price: 100, currency: "USD" };
    const { id } = (await house().admin("post", "/coin-packages", offered)).body.data;
    const { providerPayload } = (await house().call("post", "/payments/orders", user, { package_id: id })).body.data;
    const checkout = new URL(new URL(providerPayload.checkout_url).pathname, house().url);
    await fetch(checkout, { method: "POST", body: new URLSearchParams({ action: "pay" }) });
  },
  addGift: async (price) => {
    const category = (await house().admin("post", "/gift-categories", { name: `Of ${randomUUID()}` })).body.data.id;
    const gift = { category_id: category, name: "Rose", image_url: "https://cdn.example.com/rose.png", price };
    return (await house().admin("post", "/gifts", gift)).body.data.id;
  },
  give: async (sender, roomId, recipient, giftId, quantity = 1) => {
    const gift = { gift_id: giftId, recipient_id: recipient.id, quantity };
    return dataOf(await house().call("post", `/rooms/${roomId}/gifts`, sender, gift)).id;
  },
});

async function crowdIn(database: pg.Pool, count: number): Promise<Registered[]> {
  const ids = await insertUsers(async (sql, values) => (await database.query(sql, [...values])).rows, count);
  return ids.map((id) => ({ id, token: tokenOf(id), refreshToken: "" }));
}

/** Connects a client. Adds to `closing` what ends its connection. */
async function connectTo(url: string, token: string, closing: (() => void)[]): Promise<HouseClient> {
  const socket = io(url, { auth: { token }, transports: ["websocket"], forceNew: true });
  closing.push(() => socket.disconnect());
  const client: HouseClient = {
    received: [],
    ask: (event, payload) => socket.timeout(10_000).emitWithAck(event, payload),
  };
  socket.onAny((event, payload) => client.received.push({ event, payload }));
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
  return client;
}

/** Opens lobbies and starts games by calls. */
function gamesBy(call: House["call"]): Pick<House, "openLobby" | "startGame"> {
  const openLobby: House["openLobby"] = async (type, [host, ...others]) => {
    const { id } = dataOf(await call("post", "/games/lobbies", host, { type }));
    for (const other of others)
      for (const step of ["join", "ready"]) dataOf(await call("post", `/games/lobbies/${id}/${step}`, other, {}));
    return id;
  };
  return {
    openLobby,
    startGame: async (type, players) => {
      const path = `/games/lobbies/${await openLobby(type, players)}/start`;
      return dataOf(await call("post", path, players[0], {})).session_id;
    },
  };
}

/**
 * Starts the service with the extension of the test file, given as `import.meta.url`, before the tests of a `describe`,
 * and stops it after them. `processes`: how many, 1 by default.
 */
export function useHouse(
  testFile: string,
  environment: Record<string, string> = {},
  { processes: count = 1 }: { readonly processes?: number } = {},
): House {
  const processes = new Processes();
  const first = (): SpawnedService => processes.running[0]!;
  let database: pg.Pool;
  let adminToken = "";
  const closing: (() => void)[] = [];

  before("starts the service with the extension", async function () {
    this.timeout(180_000);
    const url = await createDatabase({ migrated: true });
    database = new pg.Pool({ connectionString: url, max: 2 });
    const variables = { NODE_ENV: "test", DATABASE_URL: url, HUBBUB_EXTENSIONS: folderOf(testFile), ...environment };
    await processes.start(count, variables);
  });
  after("stops the service", async () => {
    for (const close of closing) close();
    await database?.end();
    await processes.stop();
  });

  const house: House = {
    get url() {
      return first().url;
    },
    get output() {
      return processes.running.map((service) => service.output()).join("");
    },
    // A busy machine may answer too late. The second try has another name.
    register: () => register(first()).catch(() => register(first())),
    crowd: (count) => crowdIn(database, count),
    call: (method, path, user, body) => first().call(method, path, { ...(user && { token: user.token }), body }),
    admin: async (method, path, body) => {
      adminToken ||= (await first().call("post", "/admin/login", { body: admin })).body.data.token;
      return first().call(method, `/admin${path}`, { token: adminToken, body });
    },
    openRoom: async (host) => {
      const roomId = await openRoom(first(), host);
      await house.join(host, roomId);
      return roomId;
    },
    join: async (user, roomId) => {
      dataOf(await first().call("post", `/rooms/${roomId}/join`, { token: user.token, body: {} }));
    },
    connect: ({ token }) => connectTo(first().url, token, closing),
    ...giftsIn(() => house),
    kill: (roomId) => processes.kill(roomId),
    ...gamesBy((...call) => house.call(...call)),
    query: async (sql, values = []) => (await database.query(sql, [...values])).rows,
    coinsOf: async ({ token }) => (await first().call("get", "/wallet", { token })).body.data.balance,
    program: (args, more) => runProgram(["main.ts", ...args], { ...processes.variables, ...more }),
    checkLedger: async () => (await house.program(["ledger-check"])).output.trim(),
  };
  return house;
}
