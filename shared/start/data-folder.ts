import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, constants, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { isoNow } from "#shared/kernel/clock.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";

/**
 * The process that uses a data folder, written to `hubbub.json` in the folder. Only one process can use it at a time,
 * because the embedded database belongs to that process.
 */
export interface Claim {
  readonly pid: number;
  /** Distinguishes the process from a later one with the same PID. */
  readonly born: string;
  /** The subcommand of `main.ts`. */
  readonly command: string;
  readonly startedAt: string;
  /** The URL of the service, once it is ready. */
  readonly url?: string;
}

export interface HeldClaim {
  /** Adds the URL of the service. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

const claimFile = (folder: string) => join(folder, "hubbub.json");

/**
 * Claims a data folder for this process. Creates the folder if it doesn't exist, and replaces the claim of a dead
 * process.
 * @throws OperatorError if a running process holds the folder, or if the folder can't be used.
 */
export async function claimDataFolder(folder: string, command: string): Promise<HeldClaim> {
  const claim: Claim = {
    pid: process.pid,
    born: (await startTimeOf(process.pid)) ?? "",
    command,
    startedAt: isoNow(),
  };
  const path = claimFile(folder);
  const draft = `${path}.${process.pid}`;
  await writeFirst(folder, draft, JSON.stringify(claim));
  try {
    while (!(await linkNew(draft, path))) {
      const holder = await findClaim(folder);
      if (holder) throw new OperatorError(heldBy(holder, folder));
      // Move the claim before checking it: another process may have replaced the stale claim in between.
      const aside = `${draft}.stale`;
      await rename(path, aside).catch(unlessAbsent);
      if (await living(aside)) await linkNew(aside, path);
      await rm(aside, { force: true });
    }
  } finally {
    await rm(draft, { force: true });
  }
  return {
    announce: async (url) => {
      await writeFile(draft, JSON.stringify({ ...claim, url }));
      await rename(draft, path);
    },
    release: () => rm(path, { force: true }),
  };
}

/** Returns the claim of the running process that holds a data folder, if any. */
export function findClaim(folder: string): Promise<Claim | undefined> {
  return living(claimFile(folder));
}

async function living(path: string): Promise<Claim | undefined> {
  const text = await readFile(path, "utf8").catch(unlessAbsent);
  if (text === undefined) return undefined;
  if (text === "") return undefined; // Left by a machine crash before the file was flushed to disk.
  const claim = JSON.parse(text) as Claim;
  return (await startTimeOf(claim.pid)) === claim.born ? claim : undefined;
}

function heldBy({ pid, command, url }: Claim, folder: string): string {
  const where = url ? ` at ${url}` : "";
  return (
    `The data folder ${folder} is used by process ${pid} (${command})${where}. ` +
    "Stop that process, or set a different DATA_DIR and PORT for this one."
  );
}

/** Returns the start time of a process in the format of the system, or undefined if no process with this PID runs. */
async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") {
    const asked = promisify(execFile)("ps", ["-p", `${pid}`, "-o", "lstart="]);
    return asked.then(({ stdout }) => stdout.trim()).catch(() => undefined); // `ps` fails if there is no such process.
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(unlessAbsent);
  if (stat === undefined) return undefined;
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
  // The name in field 2 may contain spaces and ends with the last ")". Field 22 is the start time in clock ticks since
  // boot.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // Killed, though its parent hasn't read its exit status yet.
  if (state === "Z" || state === "X") return undefined;
  return `${bootId.trim()} ${rest[18]}`;
}

/** Creates a data folder if it doesn't exist. @throws OperatorError if the folder can't be used. */
export const prepareDataFolder = (folder: string): Promise<void> =>
  // With the slash, a file of this name is refused.
  inFolder(folder, () => access(`${folder}/`, constants.W_OK));

/**
 * Writes a file to a data folder. Creates the folder if it doesn't exist.
 * @throws OperatorError if the folder can't be used.
 */
const writeFirst = (
  folder: string,
  path: string,
  text: string,
  options?: { mode: number; flush: boolean },
): Promise<void> => inFolder(folder, () => writeFile(path, text, options));

async function inFolder(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await makeFolder(folder);
    await work();
  } catch (error) {
    throw new OperatorError(
      `Can't use the data folder ${folder} (${(error as Error).message}). ` +
        "Run the service as the owner of the folder, or set DATA_DIR to a folder that this user can write to.",
      { cause: error },
    );
  }
}

/** Creates a folder and those that it is in. Not with `recursive`, which never returns below `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Links a file. Returns false if the target already exists. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Returns a secret of the data folder, such as `jwt-secret`. The first call generates and stores it. */
export async function loadOrCreateSecret(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFirst(folder, draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  await linkNew(draft, path);
  await rm(draft);
  return (await readFile(path, "utf8")).trim();
}
