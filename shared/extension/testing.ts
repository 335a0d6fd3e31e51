import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { io } from "socket.io-client";
import { createDatabase } from "#shared/testing/database.ts";
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
  /** Calls an operation of users, such as `post`, `/red-packets`. */
  call(method: string, path: string, user?: Registered, body?: unknown): Promise<Answer>;
  /** Calls an operation as the super administrator, below `/admin`. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a room. Its host is in it. Returns its ID. */
  openRoom(host: Registered): Promise<string>;
  join(user: Registered, roomId: string): Promise<void>;
  connect(user: Registered): Promise<HouseClient>;
  /** Runs SQL on the whole database, past all rules. */
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  coinsOf(user: Registered): Promise<number>;
  /** Runs `npm run ledger:check`. Returns what it prints. */
  checkLedger(): Promise<string>;
  readonly url: string;
}

const admin = { email: "root@example.com", password: "a long password of the root" };

/** Returns the folder of an extension, which has the file or one of the folders that it is in. */
function folderOf(url: string): string {
  let folder = dirname(fileURLToPath(url));
  while (!existsSync(join(folder, "index.ts")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/**
 * Starts the service with the extension of the test file, given as `import.meta.url`, before the tests of a `describe`,
 * and stops it after them.
 */
export function useHouse(testFile: string, environment: Record<string, string> = {}): House {
  let service: SpawnedService;
  let database: pg.Pool;
  let variables: Record<string, string>;
  let adminToken = "";
  const closing: (() => void)[] = [];

  before("starts the service with the extension", async function () {
    this.timeout(60_000);
    const url = await createDatabase({ migrated: true });
    variables = { NODE_ENV: "test", DATABASE_URL: url, HUBBUB_EXTENSIONS: folderOf(testFile), ...environment };
    service = await spawnService({ ...variables, ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password });
    database = new pg.Pool({ connectionString: url, max: 2 });
  });
  after("stops the service", async () => {
    for (const close of closing) close();
    await database?.end();
    await service?.stop();
  });

  const house: House = {
    get url() {
      return service.url;
    },
    register: () => register(service),
    call: (method, path, user, body) => service.call(method, path, { ...(user && { token: user.token }), body }),
    admin: async (method, path, body) => {
      adminToken ||= (await service.call("post", "/admin/login", { body: admin })).body.data.token;
      return service.call(method, `/admin${path}`, { token: adminToken, body });
    },
    openRoom: async (host) => {
      const roomId = await openRoom(service, host);
      await house.join(host, roomId);
      return roomId;
    },
    join: async (user, roomId) => {
      await service.call("post", `/rooms/${roomId}/join`, { token: user.token, body: {} });
    },
    connect: async ({ token }) => {
      const socket = io(service.url, { auth: { token }, transports: ["websocket"], forceNew: true });
      closing.push(() => socket.disconnect());
      const client: HouseClient = {
        received: [],
        ask: (event, payload) => socket.timeout(10_000).emitWithAck(event, payload),
      };
      socket.onAny((event, payload) => client.received.push({ event, payload }));
      await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
      return client;
    },
    query: async (sql, values = []) => (await database.query(sql, [...values])).rows,
    coinsOf: async ({ token }) => (await service.call("get", "/wallet", { token })).body.data.balance,
    checkLedger: async () => (await runProgram(["main.ts", "ledger-check"], variables)).output.trim(),
  };
  return house;
}
