import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/**
 * Who works on a data folder: written to `hubbub.json` in it. One process at a time may, because the embedded database
 * belongs to it.
 */
export interface Claim {
  readonly pid: number;
  /** Tells the process from a later one with the same number. */
  readonly born: string;
  /** The subcommand of `main.ts`. */
  readonly command: string;
  readonly startedAt: string;
  /** Where the service answers, once it does. */
  readonly url?: string;
}

export interface HeldClaim {
  /** Adds where the service answers. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

const claimFile = (folder: string) => join(folder, "hubbub.json");

/**
 * Takes a data folder for this process; makes it when there is none. What a killed process left is cleared away.
 * @throws OperatorError that names the process and its address when a living one holds it, or why it cannot be used.
 */
export async function claimDataFolder(folder: string, command: string): Promise<HeldClaim> {
  const claim: Claim = {
    pid: process.pid,
    born: (await birthOf(process.pid)) ?? "",
    command,
    startedAt: new Date().toISOString(),
  };
  const path = claimFile(folder);
  const draft = `${path}.${process.pid}`;
  await writeFirst(folder, draft, JSON.stringify(claim));
  try {
    while (!(await linkNew(draft, path))) {
      const holder = await findClaim(folder);
      if (holder) throw new OperatorError(heldBy(holder, folder));
      // Set aside first and looked at then: another process may have replaced the stale claim in between.
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

/** Which living process holds a data folder, if one does. */
export function findClaim(folder: string): Promise<Claim | undefined> {
  return living(claimFile(folder));
}

async function living(path: string): Promise<Claim | undefined> {
  const text = await readFile(path, "utf8").catch(unlessAbsent);
  if (text === undefined) return undefined;
  if (text === "") return undefined; // What a crash of the machine leaves of a file that was not yet on the disk.
  const claim = JSON.parse(text) as Claim;
  return (await birthOf(claim.pid)) === claim.born ? claim : undefined;
}

function heldBy({ pid, command, url }: Claim, folder: string): string {
  const where = url ? ` and answers at ${url}` : "";
  return (
    `The data folder ${folder} is in use: process ${pid} (${command}) works on it${where}. ` +
    "Stop it first, or give this one another DATA_DIR and PORT."
  );
}

/** When a process began, as its system says it; undefined when there is none of that number. */
async function birthOf(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") {
    const asked = promisify(execFile)("ps", ["-p", `${pid}`, "-o", "lstart="]);
    return asked.then(({ stdout }) => stdout.trim()).catch(() => undefined); // `ps` says so by its exit code.
  }
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(unlessAbsent);
  if (stat === undefined) return undefined;
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
  // Field 22: clock ticks from the boot to the start. The name in field 2 may hold spaces and ends with the last ")".
  const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return `${bootId.trim()} ${ticks}`;
}

/** Writes a file into a data folder that may not be there, or be no place to write to. */
async function writeFirst(
  folder: string,
  path: string,
  text: string,
  options?: { mode: number; flush: boolean },
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(path, text, options);
  } catch (error) {
    throw new OperatorError(
      `The data folder ${folder} cannot be used (${(error as Error).message}). ` +
        "Run this as the user whom it belongs to, or set DATA_DIR to a folder that this user may write to.",
      { cause: error },
    );
  }
}

/** False when the file is there already. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

const absent = new Set(["ENOENT", "ENOTDIR", "ESRCH"]);

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (absent.has(error.code ?? "")) return undefined;
  throw error;
}

/** A secret of the folder's, such as `jwt-secret`: made by the first process that asks, kept for all later ones. */
export async function keptSecret(folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFirst(folder, draft, randomBytes(32).toString("base64url"), { mode: 0o600, flush: true });
  await linkNew(draft, path);
  await rm(draft);
  return (await readFile(path, "utf8")).trim();
}
