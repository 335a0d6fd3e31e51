import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A project that has installed the typed client. */
export interface ClientProject {
  readonly folder: string;
  /** The package as it is installed. */
  readonly installed: string;
  remove(): Promise<void>;
}

/**
 * Builds and packs the typed client as its README says, and installs it. @param others packages of ours that the
 * project has, too
 */
export async function installClient(...others: readonly string[]): Promise<ClientProject> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-client-"));
  const installed = join(folder, "node_modules/@hubbub/client");
  await mkdir(installed, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await run("npm", ["run", "build:client"], { cwd: root });
  const { stdout } = await run("npm", ["pack", "./dist/client", "--pack-destination", folder], { cwd: root });
  await run("tar", ["-xzf", join(folder, stdout.trim()), "--strip-components=1", "-C", installed]);
  for (const name of ["socket.io-client", ...others]) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, "node_modules", name), link);
  }
  return { folder, installed, remove: () => rm(folder, { recursive: true }) };
}
