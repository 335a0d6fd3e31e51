import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

/** Where a process of the service is. */
export interface Place {
  readonly port: number;
  readonly metricsPort: number;
}

/** HAProxy in front of two processes. */
export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with docs/operations/haproxy.cfg in front of two processes, and waits until it reaches one. Requests
 * go to the one with the fewest connections.
 */
export async function startBalancer(places: readonly [Place, Place]): Promise<Balancer> {
  const port = await freePort();
  const text = await readFile(new URL("../../docs/operations/haproxy.cfg", import.meta.url), "utf8");
  const file = join(await mkdtemp(join(tmpdir(), "balancer-")), "haproxy.cfg");
  await writeFile(file, withAddresses(text, port, places));
  const child: ChildProcess = spawn("haproxy", ["-q", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  await until(
    "the balancer reaches the service",
    () =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    15_000,
  );
  return {
    url,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function withAddresses(text: string, port: number, [a, b]: readonly [Place, Place]): string {
  return text
    .replace("maxconn 20000", "maxconn 1000")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replaceAll("127.0.0.1:3000", `127.0.0.1:${a.port}`)
    .replaceAll("127.0.0.1:3001", `127.0.0.1:${b.port}`)
    .replace("port 9464", `port ${a.metricsPort}`)
    .replace("port 9465", `port ${b.metricsPort}`);
}
