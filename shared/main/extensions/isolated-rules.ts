import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import type { AskRules, Seen } from "#shared/extension/perform-rules.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Answered, Asked } from "./rules-process.ts";

/** How long rules may take, milliseconds, and how much memory. */
const limitMs = 1000;
const limitMb = 64;
const startMs = 20_000;

const root = new URL("../../../", import.meta.url);
const port = new URL("shared/extension/game.ts", root);
const program = new URL("rules-process.ts", import.meta.url);

/** The processes that run. They end with this one, also when it is killed: then they are disconnected. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a process for rules. It may read their folder and ours, and starts nothing. */
async function start(module: URL): Promise<ChildProcess> {
  const readable = [new URL("shared/", root), new URL("package.json", root), new URL(".", module)].map((url) =>
    fileURLToPath(url),
  );
  const child = fork(program, [module.href, port.href], {
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    execArgv: [
      "--permission",
      ...readable.map((path) => `--allow-fs-read=${path}`),
      `--max-old-space-size=${limitMb}`,
      "--disallow-code-generation-from-strings",
    ],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const ready = await answerOf(child, startMs);
  // While it waits, it keeps no process alive.
  child.unref();
  child.channel?.unref();
  if ("failed" in ready) throw new Error(ready.failed);
  return child;
}

/** Sends a question, if there is one, and waits for the answer. @throws Error when the process, or its time, ends */
function answerOf(child: ChildProcess, waitMs: number, asked?: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const settle = (work: () => void) => {
      clearTimeout(timer);
      child.off("message", receive).off("exit", fail).off("error", fail);
      work();
    };
    const receive = (answered: unknown) => settle(() => resolve(answered as Answered));
    const fail = (reason: unknown) =>
      settle(() => {
        child.kill("SIGKILL");
        reject(reason instanceof Error ? reason : new Error("their process ended, for lack of memory perhaps"));
      });
    const timer = setTimeout(() => fail(new Error(`they take longer than ${waitMs} ms`)), waitMs);
    child.once("message", receive).once("exit", fail).once("error", fail);
    if (asked) child.send(asked, (error) => error && fail(error));
  });
}

/**
 * Returns the rules of a module, in a process of their own that answers one question at a time. It ends with a question
 * that takes longer than a second, or more than 64 MB; the next question has a new one.
 */
export function isolatedRules(module: URL): AskRules {
  let current: Promise<ChildProcess> | undefined;
  const turns = pLimit(1);

  async function started(): Promise<ChildProcess> {
    current ??= start(module);
    try {
      const child = await current;
      if (!child.killed && child.exitCode === null && child.signalCode === null) return child;
    } catch (error) {
      current = undefined;
      throw Object.assign(new DomainError("ENGINE_UNAVAILABLE"), { cause: error });
    }
    current = undefined;
    return started();
  }

  return async (request, random): Promise<Seen> => {
    const { seed = "", draws = [] } = random ?? {};
    const asked = { ...request, seed, drawn: draws.length };
    const answered = await turns(async () => answerOf(await started(), limitMs, asked));
    if ("refused" in answered) throw DomainError.from(answered.refused);
    if ("failed" in answered) throw new Error(answered.failed);
    random?.add(answered.draws ?? []);
    return answered.seen!;
  };
}
