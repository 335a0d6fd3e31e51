import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { until } from "#shared/testing/until.ts";
import { claimDataFolder, findClaim, loadOrCreateSecret, prepareDataFolder } from "./data-folder.ts";

const module = new URL("data-folder.ts", import.meta.url).href;
const newFolder = () => mkdtemp(join(tmpdir(), "data-"));

/** Another process that claims the folder and then waits to be ended; says what became of it. */
async function claimElsewhere(folder: string): Promise<{ child: ChildProcess; said: string }> {
  const script = `import { claimDataFolder } from "${module}";
    try { await (await claimDataFolder(process.argv[1], "start")).announce("http://127.0.0.1:4711"); console.log("held"); setInterval(() => {}, 1e6); }
    catch (error) { console.log(error.message); }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { child, said: said.toString().trim() };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

describe("the data folder", () => {
  it("belongs to one process until it is released", async () => {
    const folder = join(await newFolder(), "new", "folder");
    const held = await claimDataFolder(folder, "start");
    expect(await findClaim(folder)).to.include({ pid: process.pid, command: "start" });
    await held.announce("http://127.0.0.1:3000");
    const failure = await claimDataFolder(folder, "start").catch((error: Error) => error.message);
    expect(failure)
      .to.include(`process ${process.pid} (start)`)
      .and.include("http://127.0.0.1:3000")
      .and.include(folder);
    await held.release();
    expect(await findClaim(folder)).to.equal(undefined);
    await (await claimDataFolder(folder, "seed")).release();
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it("is free after its process was killed", async () => {
    const folder = await newFolder();
    const { child, said } = await claimElsewhere(folder);
    expect(said).to.equal("held");
    expect(await findClaim(folder)).to.include({ pid: child.pid, url: "http://127.0.0.1:4711" });
    await kill(child);
    expect(await findClaim(folder)).to.equal(undefined);
    await (await claimDataFolder(folder, "start")).release();
  });

  if (process.platform === "linux")
    it("is free after its process was killed, even if the parent doesn't reap it", async () => {
      const folder = await newFolder();
      const claim = `import { claimDataFolder } from "${module}"; await claimDataFolder(process.argv[1], "start");
        console.log(process.pid); setInterval(() => {}, 1e6);`;
      const script = '"$0" --input-type=module -e "$1" "$2" & wait';
      const parent = spawn("sh", ["-c", script, process.execPath, claim, folder], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [said] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(said);
      try {
        parent.kill("SIGSTOP");
        process.kill(pid, "SIGKILL");
        await until("it is a zombie", async () => / Z /.test(await readFile(`/proc/${pid}/stat`, "utf8")));
        expect(await findClaim(folder)).to.equal(undefined);
        await (await claimDataFolder(folder, "start")).release();
      } finally {
        const ended = once(parent, "exit");
        parent.kill("SIGCONT");
        await ended;
      }
    });

  it("is free if the PID of the killed process was reused", async () => {
    const folder = await newFolder();
    const stale = {
      pid: process.ppid,
      born: "before this boot",
      command: "start",
      startedAt: "2026-01-01T00:00:00.000Z",
    };
    await writeFile(join(folder, "hubbub.json"), JSON.stringify(stale));
    expect(await findClaim(folder)).to.equal(undefined);
    await (await claimDataFolder(folder, "start")).release();
  });

  it("is claimed by exactly one of several concurrent processes, even over a stale claim", async () => {
    const folder = await newFolder();
    const first = await claimElsewhere(folder);
    await kill(first.child);
    const all = await Promise.all(Array.from({ length: 4 }, () => claimElsewhere(folder)));
    expect(all.filter(({ said }) => said === "held")).to.have.length(1);
    expect(all.filter(({ said }) => said.includes("is used by"))).to.have.length(3);
    await Promise.all(all.filter(({ said }) => said === "held").map(({ child }) => kill(child)));
  });

  it("says what to change if it can't be created or written to", async () => {
    const file = join(await newFolder(), "file");
    await writeFile(file, "");
    for (const folder of [file, join(file, "below")]) {
      expect(await findClaim(folder)).to.equal(undefined);
      for (const use of [
        () => prepareDataFolder(folder),
        () => claimDataFolder(folder, "start"),
        () => loadOrCreateSecret(folder, "jwt-secret"),
      ]) {
        const failure = await use().catch((error: Error) => error);
        expect(failure).to.be.instanceOf(OperatorError);
        expect((failure as Error).message)
          .to.include(folder)
          .and.include("DATA_DIR");
      }
    }
  });

  it("stores a secret per name, which other users can't read", async () => {
    const folder = await newFolder();
    const secrets = await Promise.all([
      loadOrCreateSecret(folder, "jwt-secret"),
      claimDataFolder(folder, "start").then(() => loadOrCreateSecret(folder, "jwt-secret")),
    ]);
    expect(new Set(secrets).size).to.equal(1);
    expect(secrets[0]).to.have.length.of.at.least(43);
    expect((await stat(join(folder, "jwt-secret"))).mode & 0o777).to.equal(0o600);
    expect(await readFile(join(folder, "jwt-secret"), "utf8")).to.equal(secrets[0]);
    expect(await loadOrCreateSecret(folder, "another")).to.not.equal(secrets[0]);
  });
});
