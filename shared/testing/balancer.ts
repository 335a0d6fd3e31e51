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
 * go to them in turn, because all clients have one address here.
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

function withAddresses(text: string, port: number, places: readonly Place[]): string {
  const [rest, again] = [[...places], [...places]];
  return text
    .replace("maxconn 20000", "maxconn 1000")
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("balance source", "balance roundrobin")
    .replace("hash-type consistent", "")
    .replace(/(server \w) \S+ port \d+/g, (_all, name: string) => {
      const place = rest.shift()!;
      return `${name} 127.0.0.1:${place.port} port ${place.metricsPort}`;
    })
    .replace(/(server \w-unready) \S+/g, (_all, name: string) => `${name} 127.0.0.1:${again.shift()!.port}`);
}
