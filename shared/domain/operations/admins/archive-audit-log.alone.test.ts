import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { query } from "#shared/db/query.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { inTransaction, sqlState } from "#shared/db/transaction.ts";
import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { dateIds, firstIdAt, newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { tampered } from "#shared/testing/tamper.ts";
import { archiveAuditLog } from "./archive-audit-log.ts";
import { checkAuditLog, exportAuditLog, signAuditHead } from "./audit-chain.ts";
import { configureAuditSigning, signHead } from "./signed-heads.ts";

const script = fileURLToPath(new URL("../../../../docs/verify-export.mjs", import.meta.url));

const verify = (...args: string[]): Promise<string> =>
  promisify(execFile)(process.execPath, [script, ...args]).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );

const middleOf = (months: number): number => startOfMonth(clock.now(), -months) + daysMs(15);

describe("archives of the audit log", () => {
  let folder: string;
  let url: string;
  const pathOf = (name: string) => join(folder, name);
  const heads = () => pathOf("audit-heads.ndjson");
  const write = (actions: number) =>
    inTransaction(async (tx) => {
      for (let nth = 0; nth < actions; nth += 1)
        await tx.audit(adminCaller(), { action: "test.change", target: { type: "test", id: newId() } });
    });
  const seqs = async () =>
    (await query<{ seq: number }>("SELECT seq FROM audit_log ORDER BY seq")).map(({ seq }) => seq);
  const partitions = async () => (await query(`SELECT FROM table_partitions WHERE "table" = 'audit_log'`)).length;
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => "done",
      (error: Error) => error.message,
    );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-archive-"));
    configureAuditSigning({ secrets: ["a secret of the tests that signs the log"], folder });
    url = await createDatabase({ migrated: true });
    await divideDatabase(url, { audit_log: firstIdAt(startOfMonth(clock.now(), -7)) });
    await openDatabase(url);
    await makePartitions();
    // Three entries in each of these months; the last one of a month comes when the next has begun.
    for (const months of [9, 7, 6, 4, 1]) {
      dateIds(() => middleOf(months));
      await write(3);
      await signAuditHead();
    }
    dateIds(() => middleOf(7));
    await write(1);
    dateIds();
    await write(2);
  });
  after(async () => {
    await closeDatabase();
    await rm(folder, { recursive: true, force: true });
  });

  it("refuse months that are too young, and a file that exists", async () => {
    expect(await outcome(archiveAuditLog(url, pathOf("none"), 9))).to.match(/no partition .* 9 months ago/);
    await writeFile(pathOf("taken"), "");
    expect(await outcome(archiveAuditLog(url, pathOf("taken"), 6))).to.match(/The file can't be made: EEXIST/);
    expect(await seqs()).to.have.length(18);
  });

  it("aren't made of a log that was altered", async () => {
    const found = await tampered(["audit_log"], [["UPDATE audit_log SET reason = 'another' WHERE seq = 2"]], () =>
      outcome(archiveAuditLog(url, pathOf("altered"), 6)),
    );
    expect(found).to.match(/^Nothing is archived: Entry 2 /);
    expect(await outcome(access(pathOf("altered")))).to.match(/ENOENT/);
    expect(await seqs()).to.have.length(18);
  });

  it("lose nothing when the database can't drop what is written, and are made again", async () => {
    await query("ALTER TABLE audit_archives ADD CONSTRAINT stopped CHECK (seq < 0)");
    expect(await outcome(archiveAuditLog(url, pathOf("stopped"), 6))).to.match(/stopped/);
    await query("ALTER TABLE audit_archives DROP CONSTRAINT stopped");
    expect(await seqs()).to.have.length(18);
    expect(await checkAuditLog()).to.deep.equal({ entries: 18 });
    expect(await verify(pathOf("stopped"), "--heads", heads())).to.match(/^Verified: 16 entries/);
  });

  it("have all up to the last entry that is dropped, and the log goes on from there", async () => {
    const before = await partitions();
    // The partitions of nine and of seven months ago, whose last entry is the 16th.
    expect(await archiveAuditLog(url, pathOf("first"), 6)).to.equal(16);

    expect((await partitions()) - before).to.equal(-2);
    expect(await seqs()).to.deep.equal([7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18]);
    expect(await checkAuditLog()).to.deep.equal({ entries: 18 });
    expect(await verify(pathOf("first"), "--heads", heads())).to.match(/^Verified: 16 entries/);
    const [archive] = await query<{ file_sha256: string }>("SELECT file_sha256 FROM audit_archives");
    const sha256 = createHash("sha256")
      .update(await readFile(pathOf("first")))
      .digest("hex");
    expect(archive!.file_sha256).to.equal(sha256);
    expect(await outcome(archiveAuditLog(url, pathOf("again"), 6))).to.match(/no partition/);
  });

  it("follow each other", async () => {
    await write(1);
    await signAuditHead();
    // All that these partitions have is in the first archive.
    expect(await archiveAuditLog(url, pathOf("second"), 3)).to.equal(0);
    expect(await outcome(access(pathOf("second")))).to.match(/ENOENT/);
    expect(await seqs()).to.deep.equal([13, 14, 15, 17, 18, 19]);
    expect(await checkAuditLog()).to.deep.equal({ entries: 19 });
    const lines: string[] = [];
    for await (const line of exportAuditLog()) lines.push(line);
    await writeFile(pathOf("export"), lines.join(""));
    expect(lines).to.have.length(5);
    expect(await verify(pathOf("export"), "--heads", heads())).to.match(/^Verified: 19 entries/);

    const [, ...others] = lines;
    await writeFile(pathOf("headless"), others.join(""));
    expect(await verify(pathOf("headless"))).to.match(/Entry 1 .* was altered, moved, or put in/);
    const after = JSON.parse(lines[0]!);
    after.after.hash = createHash("sha256").update("another").digest("hex");
    await writeFile(pathOf("forged"), [`${JSON.stringify(after)}\n`, ...others].join(""));
    expect(await verify(pathOf("forged"))).to.match(/The head of what is in an archive has another signature/);
  });

  it("can't be claimed: not by deletion, by another's signature, or by a signed head", async () => {
    const look = async () => (await checkAuditLog()).difference;
    const cut = "DELETE FROM audit_log WHERE seq <= 17";
    expect(await tampered(["audit_log"], [[cut]], look)).to.match(/^Entry 17 was removed/);
    const head = JSON.parse((await readFile(heads(), "utf8")).trim().split("\n").at(-1)!);
    const claimed = await tampered(
      ["audit_log", "audit_archives"],
      [
        ["DELETE FROM audit_log WHERE seq <= $1", [head.seq]],
        [
          `INSERT INTO audit_archives (seq, hash, file_sha256, signature, public_key) VALUES ($1, $2, $3, $4, $5)`,
          [head.seq, head.hash, "0".repeat(64), head.signature, head.public_key],
        ],
      ],
      look,
    );
    expect(claimed).to.equal(`The archive up to entry ${head.seq} has another signature.`);
    expect(await query("DELETE FROM audit_archives").catch(sqlState)).to.equal("23001");
    expect(await look()).to.equal(undefined);
  });

  it("must match the heads that were signed", async () => {
    const kept = pathOf("kept");
    await copyFile(heads(), kept);
    await appendFile(heads(), `${JSON.stringify(signHead(16, "f".repeat(64)))}\n`);
    expect((await checkAuditLog()).difference).to.match(/^Entry 16, or one before it, was rewritten/);
    await copyFile(kept, heads());
    expect((await checkAuditLog()).difference).to.equal(undefined);
  });
});
