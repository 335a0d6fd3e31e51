import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeStores } from "#shared/testing/fakes/purchases-at-stores.ts";
import { startStores, storeEnvironment } from "../store-environment.ts";
import { Bouncer } from "./bouncer.ts";
import { Database } from "./database.ts";
import type { Dice } from "./dice.ts";
import { Judge } from "./judge.ts";
import { ServiceNode } from "./node.ts";
import { SmallDisk } from "./small-disk.ts";
import { Store } from "./store.ts";

export const adminLogin = { email: "chaos@example.com", password: "an administrator's long password" };

/** The key of access tokens, the same for all processes. */
export const jwtSecret = "one secret for all processes, of 40 characters";

interface Parts extends Pick<Cluster, "database" | "bouncer" | "store" | "judge" | "stores" | "data" | "nodes"> {
  readonly folder: string;
}

interface ClusterOptions {
  /** How many processes. */
  readonly count?: number | undefined;
  readonly diskMayBeFull: boolean;
  readonly behindPgBouncer: boolean;
  /** Whether PostgreSQL has a replica, and Redis another one and a Sentinel. */
  readonly isReplicated: boolean;
}

/** The processes of one service over one database and one Redis, all on this machine. */
export class Cluster {
  readonly database: Database;
  /** If processes reach the database by one. */
  readonly bouncer: Bouncer | undefined;
  readonly store: Store;
  readonly judge: Judge;
  readonly stores: FakeStores;
  readonly data: SmallDisk;
  readonly nodes: readonly ServiceNode[];
  /** Whether people act without a rest. */
  isFlooded = false;
  readonly #folder: string;

  private constructor({ folder, database, bouncer, store, judge, stores, data, nodes }: Parts) {
    this.#folder = folder;
    this.database = database;
    this.bouncer = bouncer;
    this.store = store;
    this.judge = judge;
    this.stores = stores;
    this.data = data;
    this.nodes = nodes;
  }

  /** Starts two to four processes; the third serves REST only. Doesn't wait until they are ready. */
  static async start(
    dice: Dice,
    { count = dice.between(2, 4), diskMayBeFull, behindPgBouncer, isReplicated }: ClusterOptions,
  ): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "hubbub-chaos-"));
    const [database, store, judge, stores, data] = await Promise.all([
      Database.start(folder),
      Store.start(isReplicated),
      Judge.start(),
      startStores(),
      SmallDisk.make(folder, diskMayBeFull),
    ]);
    if (isReplicated) await database.replicate();
    const bouncer = behindPgBouncer ? await Bouncer.start(database) : undefined;
    const environment = {
      DATA_DIR: data.folder,
      JWT_SECRET: jwtSecret,
      ADMIN_EMAIL: adminLogin.email,
      ADMIN_PASSWORD: adminLogin.password,
      JUDGE_URL: judge.url,
      JUDGE_SECRET: judge.secret,
      HUBBUB_EXTENSIONS: process.env.HUBBUB_EXTENSIONS ?? "",
      ...(await storeEnvironment(stores, folder)),
    };
    const nodes = await Promise.all(
      ["a", "b", "c", "d"].slice(0, count).map((name, index) => {
        const roles = index === 2 ? { ROLES: "api" } : undefined;
        return ServiceNode.start({ name, database, bouncer, store, environment: { ...environment, ...roles } });
      }),
    );
    return new Cluster({ folder, database, bouncer, store, judge, stores, data, nodes });
  }

  /** The processes that host actors and connections. */
  get hosts(): readonly ServiceNode[] {
    return this.nodes.filter(({ hosts }) => hosts);
  }

  /** Writes the logs of all processes to a folder that stays. Returns the folder. */
  async keepLogs(): Promise<string> {
    const kept = await mkdtemp(join(tmpdir(), "hubbub-chaos-logs-"));
    for (const { name, outputs } of this.nodes)
      for (const [run, output] of outputs.entries()) await writeFile(join(kept, `${name}-${run}.log`), output());
    return kept;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    const servers = [this.bouncer, this.database, this.store, this.judge, this.stores];
    await Promise.all(servers.map((server) => server?.stop()));
    await this.data.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
