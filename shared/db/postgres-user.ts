import { execFile, type SpawnOptions } from "node:child_process";
import { chown, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "#shared/kernel/operator-error.ts";

const run = promisify(execFile);

/** The user that runs PostgreSQL if this process is root, because PostgreSQL refuses to run as root. */
interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Builds a command line, and options for `spawn`, that run a program as the database's system user. */
export type AsDatabaseUser = (
  file: string,
  args: readonly string[],
) => {
  file: string;
  args: string[];
  options: SpawnOptions;
};

const userName = "postgres";

/** PostgreSQL gets none of our environment: PGDATA, PGPORT and the like would change its behaviour. */
const environment = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C" };

/**
 * Returns how to run the database's programs, and makes their user own `dataFolder`, which must exist. If we are not
 * root, they run as our own user; if we are, as the folder's owner, or as the user `postgres`, which is created if
 * absent. When that user cannot enter the folders above the programs or the data (a checkout in /root), the programs
 * get the one capability that passes folders, and nothing else of root.
 */
export async function databaseUser(dataFolder: string, program: string): Promise<AsDatabaseUser> {
  const plain = { env: environment, detached: true } satisfies SpawnOptions;
  if (process.getuid?.() !== 0) return (file, args) => ({ file, args: [...args], options: plain });
  const user = await ownerOf(dataFolder);
  if (await mayEnter(user, [dataFolder, program]))
    return (file, args) => ({ file, args: [...args], options: { ...plain, uid: user.uid, gid: user.gid } });
  const capability = await passingCapability();
  const privileges = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    "--clear-groups",
    "--no-new-privs",
    `--bounding-set=-all,+${capability}`,
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
    // Without this bit, access(2), by which PostgreSQL finds its programs, would ignore the capability.
    "--securebits=+no_setuid_fixup",
  ];
  return (file, args) => ({ file: "setpriv", args: [...privileges, file, ...args], options: plain });
}

async function ownerOf(folder: string): Promise<SystemUser> {
  const { uid, gid } = await stat(folder);
  if (uid !== 0) return { uid, gid };
  const user = (await findUser()) ?? (await createUser());
  await giveTo(user, folder);
  return user;
}

async function findUser(): Promise<SystemUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", userName]), run("id", ["-g", userName])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined; // `id` says by its exit code that there is no such user.
  }
}

async function createUser(): Promise<SystemUser> {
  await run("useradd", ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", userName]);
  const user = await findUser();
  if (!user) throw new Error(`The system user "${userName}" was created but can't be found.`);
  return user;
}

/** A data folder copied by root belongs to root, with everything in it. */
async function giveTo(user: SystemUser, folder: string): Promise<void> {
  await chown(folder, user.uid, user.gid);
  for (const name of await readdir(folder, { recursive: true })) await chown(join(folder, name), user.uid, user.gid);
}

async function mayEnter({ uid, gid }: SystemUser, paths: readonly string[]): Promise<boolean> {
  try {
    for (const path of paths) await run("test", ["-x", path], { uid, gid, cwd: "/" });
    return true;
  } catch {
    return false; // `test` says so by its exit code.
  }
}

/** Returns the weaker capability that passes folders, if root has it here; containers often have only the stronger. */
async function passingCapability(): Promise<string> {
  const status = await readFile("/proc/self/status", "utf8");
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  if (held & (1n << 2n)) return "dac_read_search";
  if (held & (1n << 1n)) return "dac_override";
  throw new OperatorError(
    `PostgreSQL runs as the user "${userName}", who has no access to the folder of the service or of its data. ` +
      "Move both out of root's home folder, or run the service as a regular user.",
  );
}
