import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Programs that tests use, and their Debian packages. */
const tools = {
  "redis-server": "redis-server",
  chromium: "chromium",
  curl: "curl",
  openssl: "openssl",
  prometheus: "prometheus",
  haproxy: "haproxy",
  pgbouncer: "pgbouncer",
  "nats-server": "nats-server",
};

/**
 * Ensures that the programs used by tests are installed. Installs missing ones as root on Debian.
 * @throws Error with the command to install them otherwise.
 */
export async function ensureTools(): Promise<void> {
  const missing: string[] = [];
  for (const [program, debianPackage] of Object.entries(tools))
    if (!(await isThere(program))) missing.push(debianPackage);
  if (missing.length === 0) return;
  const names = missing.join(" ");
  if (process.getuid?.() !== 0 || !(await isThere("apt-get")))
    throw new Error(
      `The tests need ${names}. Install with: sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names}`,
    );
  console.log(`Installing ${names} ...`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" }, maxBuffer: 64 * 1024 * 1024 };
  await run("apt-get", ["update", "-q"], options);
  await run("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...missing], options);
}

async function isThere(program: string): Promise<boolean> {
  try {
    await run("sh", ["-c", 'command -v "$0"', program]);
    return true;
  } catch {
    return false; // `command` fails if the program is missing.
  }
}
