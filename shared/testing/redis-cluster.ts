import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./free-port.ts";
import { startRedis, type TestRedis } from "./redis.ts";
import { until } from "./until.ts";

/** A Redis Cluster of three servers, each with a replica. */
export interface TestCluster {
  readonly url: string;
  /** Connections to the nodes: the servers, and then their replicas. */
  readonly nodes: readonly Redis[];
  /** Kills the server that owns a key. */
  killOwner(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** The slots of each server. */
const slotRanges = [
  [0, 5460],
  [5461, 10922],
  [10923, 16383],
] as const;
const nodeTimeoutMs = 1000;

/** Starts the nodes, and waits until they are a cluster. */
export async function startRedisCluster(): Promise<TestCluster> {
  const folder = await mkdtemp(join(tmpdir(), "redis-cluster-"));
  const servers = await Promise.all(Array.from({ length: 2 * slotRanges.length }, (_, n) => startNode(folder, n)));
  const nodes = servers.map(({ port }) => new Redis(port, { retryStrategy: () => null }).on("error", () => {}));
  const owners = nodes.slice(0, slotRanges.length);
  const info = async (node: Redis, fact: string) => (await node.cluster("INFO")).includes(fact);
  await Promise.all(
    owners.map(async (node, n) => {
      await node.call("CLUSTER", "SET-CONFIG-EPOCH", n + 1);
      await node.call("CLUSTER", "ADDSLOTSRANGE", ...slotRanges[n]!);
    }),
  );
  for (const { port, busPort } of servers.slice(1)) await nodes[0]!.call("CLUSTER", "MEET", "127.0.0.1", port, busPort);
  const know = () => Promise.all(nodes.map((node) => info(node, `cluster_known_nodes:${nodes.length}`)));
  await until("all know each other", async () => (await know()).every(Boolean), 10_000);
  for (const [n, node] of nodes.slice(owners.length).entries())
    await node.call("CLUSTER", "REPLICATE", String(await owners[n]!.cluster("MYID")));
  const areReplicas = () =>
    Promise.all(owners.map(async (node) => (await node.info("replication")).includes("state=online")));
  await until("they have replicas", async () => (await areReplicas()).every(Boolean), 10_000);
  const serve = () => Promise.all(nodes.map((node) => info(node, "cluster_state:ok")));
  await until("it serves", async () => (await serve()).every(Boolean), 10_000);

  return {
    url: `redis-cluster://${servers.map(({ port }) => `127.0.0.1:${port}`).join()}`,
    nodes,
    killOwner: async (key) => {
      const slot = (await nodes[0]!.cluster("KEYSLOT", key)) as number;
      await servers[slotRanges.findIndex(([from, to]) => from <= slot && slot <= to)]!.stop();
    },
    stop: async () => {
      for (const node of nodes) node.disconnect();
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a node. Its bus gets a free port, too: by default it takes the node's plus 10,000, which may be in use. */
async function startNode(folder: string, n: number): Promise<TestRedis & { readonly busPort: number }> {
  const busPort = await freePort();
  const server = await startRedis(undefined, [
    ...["--cluster-enabled", "yes", "--cluster-config-file", join(folder, `${n}.conf`), "--cluster-port", `${busPort}`],
    ...["--cluster-node-timeout", `${nodeTimeoutMs}`, "--repl-diskless-sync-delay", "0"],
  ]);
  return { ...server, busPort };
}
