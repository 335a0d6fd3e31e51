import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { assert } from "#shared/kernel/assert.ts";
import { newId } from "#shared/kernel/ids.ts";
import { createClient, memoryStorage } from "../client/client.ts";
import { compileCache } from "./compile-cache.ts";
import type { Answer, CallOptions } from "./service.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A service in a separate process, as run by `npm start`. */
export interface SpawnedService {
  readonly url: string;
  readonly child: ChildProcess;
  /** The output so far, of both streams. */
  output(): string;
  /** Calls an operation under `/api/v1`. Rejects without a response. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Stops the service, with SIGTERM by default. Returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Runs a program of this repository with this environment only. */
function runNode(args: string[], environment: Record<string, string>): ChildProcess {
  const { PATH = "", TMPDIR = "" } = process.env;
  const env = { PATH, TMPDIR, NODE_ENV: "test", DEMO_BOTS: "off", NODE_COMPILE_CACHE: compileCache, ...environment };
  return spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Services that are running or starting. */
const running = new Set<{ child: ChildProcess; ended: Promise<unknown> }>();

/** Starts `main.ts` on a free port without rate limits and waits until it is ready. @throws Error with its output */
export async function spawnService(environment: Record<string, string>): Promise<SpawnedService> {
  const child = runNode(["main.ts", "start"], { PORT: "0", RATE_LIMITS: "off", ...environment });
  const ended = once(child, "close").then(([code]) => {
    running.delete(entry);
    return code as number | null;
  });
  const entry = { child, ended };
  running.add(entry);
  let output = "";
  const ready = new Promise<string>((resolve) => {
    const take = (chunk: Buffer) => {
      output += chunk;
      const url = /"url":"([^"]+)","msg":"ready"/.exec(output)?.[1];
      if (url) resolve(url);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  });
  const url = await Promise.race([ready, ended]);
  if (typeof url !== "string") throw new Error(`The service did not start:\n${output}`);
  return {
    url,
    child,
    output: () => output,
    call: (method, path, options) => callApi(url, method, path, options),
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Stops all running services of a test file, with SIGKILL by default. Call it in an `after`. */
export async function stopServices(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  for (const { child } of running) child.kill(signal);
  await Promise.all([...running].map(({ ended }) => ended));
}

/** Calls an operation under `/api/v1` of the service at `url`. Rejects without a response. */
export async function callApi(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body, headers } = options;
  const response = await fetch(`${url}/api/v1${path}`, {
    method: method.toUpperCase(),
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

export interface Registered {
  readonly id: string;
  readonly token: string;
  readonly refreshToken: string;
}

/** Registers a user, who gets the signup bonus of 100 coins. */
export async function register({ url }: Pick<SpawnedService, "url">): Promise<Registered> {
  const username = `u${newId().replaceAll("-", "").slice(-20)}`;
  const password = "correct horse battery";
  const { user, accessToken, refreshToken } = await createClient({ url }).request("registerAccount", {
    body: {
      full_name: "Ada Lovelace",
      username,
      email: `${username}@example.com`,
      password,
      confirm_password: password,
      terms_accepted: true,
    },
  });
  return { id: user.id, token: accessToken, refreshToken };
}

/** Creates a room, and its actor in the asked process if that hosts actors. Returns the room's ID. */
export async function openRoom({ url }: SpawnedService, { token, refreshToken }: Registered): Promise<string> {
  const storage = memoryStorage();
  await storage.set({ accessToken: token, refreshToken });
  const { rooms } = createClient({ url, storage });
  const { id } = await rooms.create({ name: "Night owls", category: "music", language: "en" });
  // A room gets its actor when it is first used.
  await rooms.get(id);
  return id;
}

/** Runs a program of this repository until it exits. */
export async function runProgram(
  args: string[],
  environment: Record<string, string>,
): Promise<{ exitCode: number | null; output: string }> {
  const child = runNode(args, environment);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk));
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { exitCode, output };
}

/** Runs code in another process of the service, such as an administrator's command. `code` is a module. */
export async function runBeside(environment: Record<string, string>, code: string): Promise<void> {
  const { exitCode, output } = await runProgram(["--input-type=module", "--eval", code], environment);
  assert(exitCode === 0, `the process beside ended with ${exitCode}:\n${output}`);
}
