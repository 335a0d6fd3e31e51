import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./free-port.ts";
import { startRedis, type TestRedis } from "./redis.ts";
import { until } from "./until.ts";

const name = "main";

/** A Sentinel that watches a server and its replicas. */
export interface TestSentinel {
  /** The `REDIS_URL` of what it watches. */
  readonly url: string;
  /** Where it says that the server is. */
  primaryPort(): Promise<number>;
  /** How many replicas that server has which it knows, and which are up to date. */
  replicas(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a replica of a server. */
export const startReplica = ({ port }: TestRedis, own?: number): Promise<TestRedis> =>
  startRedis(own, ["--replicaof", "127.0.0.1", `${port}`]);

/** Starts a Sentinel. It gives a server up that is silent for two seconds. */
export async function startSentinel({ port: watched }: TestRedis): Promise<TestSentinel> {
  const [folder, port] = [await mkdtemp(join(tmpdir(), "sentinel-")), await freePort()];
  const file = join(folder, "sentinel.conf");
  const lines = [
    ...[`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, `sentinel monitor ${name} 127.0.0.1 ${watched} 1`],
    ...[`sentinel down-after-milliseconds ${name} 2000`, `sentinel failover-timeout ${name} 3000`],
  ];
  await writeFile(file, `${lines.join("\n")}\n`);
  const child = spawn("redis-server", [file, "--sentinel"], { stdio: "ignore" });
  const ended = once(child, "exit");
  const redis = new Redis(port);
  redis.on("error", () => {}); // Until it has started.
  const info = () => redis.call("SENTINEL", "MASTER", name) as Promise<string[]>;
  const fact = async (key: string) => {
    const facts = await info();
    return facts[facts.indexOf(key) + 1]!;
  };
  await until("Sentinel knows the replica", async () => Number(await fact("num-slaves")) > 0, 20_000);
  return {
    url: `redis-sentinel://127.0.0.1:${port}/${name}`,
    primaryPort: async () => Number(await fact("port")),
    replicas: async () => {
      const known = (await redis.call("SENTINEL", "REPLICAS", name)) as string[][];
      return known.filter((facts) => facts[facts.indexOf("master-link-status") + 1] === "ok").length;
    },
    stop: async () => {
      redis.disconnect();
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
