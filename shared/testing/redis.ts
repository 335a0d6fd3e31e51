import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";

/** A Redis server for a test, on a free port of 127.0.0.1, without persistence. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Makes the server unresponsive: it accepts connections and commands, but sends no responses. */
  freeze(): void;
  /** Ends that. */
  thaw(): void;
  stop(): Promise<void>;
}

/**
 * Starts a Redis server and waits until it accepts connections. Pass `port` to restart a stopped server. `more`:
 * further arguments.
 */
export async function startRedis(port?: number, more: readonly string[] = []): Promise<TestRedis> {
  const usedPort = port ?? (await freePort());
  // A replica writes what its primary sends it into its folder, where another server would find it.
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const args = ["--bind", "127.0.0.1", "--port", `${usedPort}`, "--save", "", "--appendonly", "no", "--dir", folder];
  const child = spawn("redis-server", [...args, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const output: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line);
    if (line.includes("Ready to accept connections")) break;
  }
  child.stdout.resume();
  if (child.exitCode !== null) throw new Error(`redis-server does not start:\n${output.join("\n")}`);
  return {
    url: `redis://127.0.0.1:${usedPort}`,
    port: usedPort,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
