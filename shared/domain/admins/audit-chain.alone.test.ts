import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { checkAuditLog, configureAuditSigning, exportAuditLog, signAuditHead } from "./audit-chain.ts";
import { exportLedger } from "./export-ledger.ts";

const script = fileURLToPath(new URL("../../../docs/verify-export.mjs", import.meta.url));
const run = promisify(execFile);

describe("the chain of the audit log", () => {
  useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-audit-"));
    configureAuditSigning({ secret: "a secret of the tests that signs the log", folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const write = (count = 1) =>
    inTransaction(async (tx) => {
      for (let index = 0; index < count; index += 1)
        await tx.audit(adminCaller(), {
          action: "test.change",
          target: { type: "test", id: newId() },
          before: { b: 1.5, a: "é" },
          after: { nested: { z: null, y: [1, 2] } },
        });
    });
  const differenceNow = async () => (await checkAuditLog()).difference ?? "none";
  const lastSeq = async () => Number((await query<{ seq: number }>("SELECT seq FROM audit_head"))[0]!.seq);

  /** Tampers as the database's owner could, looks, and takes it back. */
  async function tamperedBy(...statements: readonly (readonly [string, (readonly unknown[])?])[]): Promise<string> {
    await query("ALTER TABLE audit_log DISABLE TRIGGER USER");
    await query("CREATE TABLE audit_kept AS SELECT * FROM audit_log");
    await query("CREATE TABLE head_kept AS SELECT * FROM audit_head");
    try {
      for (const [statement, values] of statements) await query(statement, values);
      return await differenceNow();
    } finally {
      await query("DELETE FROM audit_log");
      await query("INSERT INTO audit_log SELECT * FROM audit_kept");
      await query("DELETE FROM audit_head");
      await query("INSERT INTO audit_head SELECT * FROM head_kept");
      await query("DROP TABLE audit_kept, head_kept");
      await query("ALTER TABLE audit_log ENABLE TRIGGER USER");
    }
  }

  it("holds when many write at the same time, and skips those that fail", async () => {
    const before = await lastSeq();
    const failed = inTransaction(async (tx) => {
      await tx.audit(adminCaller(), { action: "test.change", target: { type: "test", id: newId() } });
      throw new Error("on purpose");
    });
    await Promise.all([...Array.from({ length: 30 }, () => write(2)), failed.catch(() => undefined)]);

    expect(await differenceNow()).to.equal("none");
    expect((await lastSeq()) - before).to.equal(60);
  });

  it("names the first entry that was altered, removed, moved, or put in", async () => {
    await write(8);
    const last = await lastSeq();
    const [second, third] = [last - 6, last - 5];
    const columns =
      "id, at, principal_kind, principal_id, role, session_id, action, target_type, target_id, before, after, reason, ip, user_agent, request_id, hash";

    const altered = await tamperedBy(["UPDATE audit_log SET reason = 'another' WHERE seq = $1", [second]]);
    const removed = await tamperedBy(["DELETE FROM audit_log WHERE seq = $1", [second]]);
    const closed = await tamperedBy(
      ["DELETE FROM audit_log WHERE seq = $1", [second]],
      ["UPDATE audit_log SET seq = -seq WHERE seq > $1", [second]],
      ["UPDATE audit_log SET seq = -seq - 1 WHERE seq < 0"],
    );
    const moved = await tamperedBy(
      ["UPDATE audit_log SET seq = -seq WHERE seq IN ($1, $2)", [second, third]],
      ["UPDATE audit_log SET seq = $1::bigint + $2::bigint + seq WHERE seq < 0", [second, third]],
    );
    const inserted = await tamperedBy(
      ["UPDATE audit_log SET seq = -seq WHERE seq >= $1", [second]],
      ["UPDATE audit_log SET seq = -seq + 1 WHERE seq < 0"],
      [
        `INSERT INTO audit_log (seq, ${columns}) SELECT $1, gen_random_uuid(), ${columns.slice(4)} FROM audit_log WHERE seq = $2`,
        [second, third],
      ],
    );
    const cut = await tamperedBy(["DELETE FROM audit_log WHERE seq >= $1", [last - 1]]);

    expect(altered).to.match(new RegExp(`^Entry ${second} .* was altered, moved, or put in`));
    expect(removed).to.match(new RegExp(`^Entry ${second} was removed`));
    expect(closed).to.match(new RegExp(`^Entry ${second} .* was altered, moved, or put in`));
    expect(moved).to.match(new RegExp(`^Entry ${second} .* was altered, moved, or put in`));
    expect(inserted).to.match(new RegExp(`^Entry ${second} .* was altered, moved, or put in`));
    expect(cut).to.match(new RegExp(`^Entry ${last - 1} was removed, with all that followed, up to ${last}`));
    expect(await differenceNow()).to.equal("none");
  });

  it("shows an end that was rewritten with new hashes, by the signed heads", async () => {
    await write(3);
    await signAuditHead();
    const last = await lastSeq();
    const rehash = `UPDATE audit_log SET hash = encode(sha256(convert_to(
      (SELECT hash FROM audit_log before WHERE before.seq = audit_log.seq - 1) || audit_entry_text(audit_log), 'UTF8')), 'hex')
      WHERE seq = $1`;

    const rewritten = await tamperedBy(
      ["UPDATE audit_log SET reason = 'another' WHERE seq = $1", [last - 1]],
      [rehash, [last - 1]],
      [rehash, [last]],
      ["UPDATE audit_head SET hash = (SELECT hash FROM audit_log WHERE seq = $1)", [last]],
    );
    const cut = await tamperedBy(
      ["DELETE FROM audit_log WHERE seq = $1", [last]],
      ["UPDATE audit_head SET seq = $1, hash = (SELECT hash FROM audit_log WHERE seq = $1)", [last - 1]],
    );
    const heads = join(folder, "audit-heads.ndjson");
    const kept = await readFile(heads, "utf8");
    await writeFile(heads, kept.replace(/"signature":"..../, '"signature":"AAAA'));
    const forged = await differenceNow();
    await writeFile(heads, kept);

    expect(rewritten).to.match(new RegExp(`^Entry ${last}, or one before it, was rewritten`));
    expect(cut).to.match(new RegExp(`^Entry ${last} was removed`));
    expect(forged).to.match(/another signature/);
    expect(await differenceNow()).to.equal("none");
  });

  it("is verified in an export by a script without the service's code", async () => {
    await write(3);
    const lines: string[] = [];
    for await (const line of exportAuditLog()) lines.push(line);
    const verified = async (changed: readonly string[]) => {
      const file = join(folder, "export.ndjson");
      await writeFile(file, changed.join(""));
      return run(process.execPath, [script, file]).then(
        ({ stdout }) => stdout,
        ({ stderr }: { stderr: string }) => stderr,
      );
    };
    const second = lines.length - 3;

    expect(await verified(lines)).to.match(new RegExp(`^Verified: ${lines.length - 1} entries`));
    expect(await verified(lines.with(second, lines[second]!.replace("test.change", "test.chance")))).to.include(
      "altered",
    );
    expect(await verified(lines.toSpliced(second, 1))).to.include("removed");
    expect(await verified(lines.toSpliced(-2, 1))).to.include("signed head");
    expect(await verified(lines.slice(0, -1))).to.include("not complete");
  });

  it("verifies an export of the ledger in the same way, and against an earlier one", async () => {
    await buildUser({ coins: 100 });
    const read = async () => {
      const lines: string[] = [];
      await exportLedger(async (line) => void lines.push(line));
      return lines;
    };
    const [earlier, later] = [join(folder, "earlier.ndjson"), join(folder, "later.ndjson")];
    await writeFile(earlier, (await read()).join(""));
    await buildUser({ coins: 50 });
    const lines = await read();
    await writeFile(later, lines.join(""));

    const { stdout } = await run(process.execPath, [script, later, "--earlier", earlier]);
    const backwards = await run(process.execPath, [script, earlier, "--earlier", later]).catch(
      ({ stderr }: { stderr: string }) => ({ stdout: stderr }),
    );

    expect(stdout).to.match(new RegExp(`^Verified: ${lines.length - 1} entries`));
    expect(backwards.stdout).to.include("missing or altered");
  });
});
