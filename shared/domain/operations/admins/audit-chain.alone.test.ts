import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { service } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { openBalance, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { type Statement, tampered } from "#shared/testing/tamper.ts";
import { checkAuditLog, exportAuditLog, signAuditHead } from "./audit-chain.ts";
import { chainHash, headLine, linkLine } from "./hash-chain.ts";
import { chainLedger, checkLedgerChain, exportLedger, signLedgerHead } from "./ledger-chain.ts";
import { configureAuditSigning, deriveAuditSecret, signHead } from "./signed-heads.ts";

const script = fileURLToPath(new URL("../../../../docs/verify-export.mjs", import.meta.url));
const run = promisify(execFile);

/** Gives a new user money, in 1/10,000 of a dollar. */
async function giveMoney(amount: number): Promise<void> {
  const { id: userId } = await buildUser();
  const type = "admin_adjustment";
  await inTransaction(async (tx) => {
    await openBalance(tx, userId, "USD");
    await transfer(tx, {
      asset: "USD",
      by: service,
      reference: { type: "balance_adjustment", id: newId() },
      description: "A test",
      entries: [
        { account: { userId }, amount, type },
        { account: { house: "adjustments" }, amount: -amount, type },
      ],
    });
  });
}

/** Runs the script that shares no code with the service. */
const verifyExport = (...args: string[]): Promise<string> =>
  run(process.execPath, [script, ...args]).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );

const signingSecret = "a secret of the tests that signs the log";

describe("chains of hashes", () => {
  useDatabase();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hubbub-audit-"));
    configureAuditSigning({ secrets: [signingSecret], folder });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Writes an export to a file. Returns its path and lines. */
  async function exported(name: string, lines: readonly string[]): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, lines.join(""));
    return path;
  }

  describe("the audit log", () => {
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

    const linesNow = async () => {
      const lines: string[] = [];
      for await (const line of exportAuditLog()) lines.push(line);
      return lines;
    };
    const tamperedBy = (...statements: Statement[]) => tampered(["audit_log", "audit_head"], statements, differenceNow);

    /** Alters the entry before the last, and gives it and the last new hashes. */
    function rewriting(last: number): Statement[] {
      const rehash = `UPDATE audit_log SET hash = encode(sha256(convert_to(
      (SELECT hash FROM audit_log before WHERE before.seq = audit_log.seq - 1) || audit_entry_text(audit_log), 'UTF8')), 'hex')
      WHERE seq = $1`;
      return [
        ["UPDATE audit_log SET reason = 'another' WHERE seq = $1", [last - 1]],
        [rehash, [last - 1]],
        [rehash, [last]],
        ["UPDATE audit_head SET hash = (SELECT hash FROM audit_log WHERE seq = $1)", [last]],
      ];
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

      const rewritten = await tamperedBy(...rewriting(last));
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

    it("is whole after the signing key was replaced, as long as the old one is known", async () => {
      const jwtSecret = "a secret of access tokens, of 32 characters";
      const added = "a signing secret that comes after the others";
      const keep = (...secrets: string[]) => configureAuditSigning({ secrets, folder });
      await write();
      await signAuditHead();
      keep(deriveAuditSecret(jwtSecret), signingSecret);
      await write();
      await signAuditHead();

      const whole = await differenceNow();
      keep(added);
      const unknown = await differenceNow();
      keep(added, signingSecret, jwtSecret);
      const known = await differenceNow();
      keep(signingSecret, jwtSecret);

      expect([whole, known]).to.deep.equal(["none", "none"]);
      expect(unknown).to.match(/another signature. Its key must be in AUDIT_SIGNING_KEY/);
    });

    it("is verified in an export by a script without the service's code", async () => {
      await write(3);
      const lines = await linesNow();
      const verified = async (changed: readonly string[]) => verifyExport(await exported("export.ndjson", changed));
      const second = lines.length - 3;

      expect(await verified(lines)).to.match(new RegExp(`^Verified: ${lines.length - 1} entries`));
      expect(await verified(lines.with(second, lines[second]!.replace("test.change", "test.chance")))).to.include(
        "altered",
      );
      expect(await verified(lines.toSpliced(second, 1))).to.include("removed");
      expect(await verified(lines.toSpliced(-2, 1))).to.include("signed head");
      expect(await verified(lines.slice(0, -1))).to.include("not complete");
    });

    it("is verified in an export against signed heads that were kept elsewhere", async () => {
      await write(3);
      await signAuditHead();
      const [last, heads] = [await lastSeq(), join(folder, "audit-heads.ndjson")];
      const logged = await exported("log.ndjson", [
        `${JSON.stringify({ audit_head: JSON.parse((await readFile(heads, "utf8")).trim().split("\n").at(-1)!) })}\n`,
      ]);
      const verified = async (against: string) =>
        verifyExport(await exported("export.ndjson", await linesNow()), "--heads", against);
      const rewritten = (against: string) =>
        tampered(["audit_log", "audit_head"], rewriting(last), () => verified(against));

      for (const against of [heads, logged]) {
        expect(await verified(against)).to.match(/^Verified/);
        expect(await rewritten(against)).to.include(`Entry ${last}, or one before it, was rewritten`);
      }
    });
  });

  describe("the ledger", () => {
    const tables = ["ledger_movements", "ledger_entries", "ledger_chain"];
    const differenceNow = async () => (await checkLedgerChain()).difference ?? "none";
    const linesNow = async () => {
      const lines: string[] = [];
      await exportLedger(async (line) => void lines.push(line));
      return lines;
    };
    const lastLinks = () =>
      query<{ seq: number; id: string }>("SELECT seq, movement_id AS id FROM ledger_chain ORDER BY seq DESC LIMIT 3");

    before(async () => {
      await giveMoney(125_000);
      for (let count = 0; count < 4; count += 1) await buildUser({ coins: 100 });
      await signLedgerHead();
    });

    it("is chained by each run of the job, once", async () => {
      const count = async () => (await query<{ n: number }>("SELECT count(*) AS n FROM ledger_chain"))[0]!.n;
      const before = await count();
      await buildUser({ coins: 50 });

      await Promise.all([chainLedger(), chainLedger(), signLedgerHead()]);

      expect((await count()) - before).to.equal(1);
      expect(await differenceNow()).to.equal("none");
    });

    /** What the owner of the database could do to the last ledger transactions, and what shows it. */
    async function alterations(): Promise<(readonly [says: string, ...Statement[]])[]> {
      const [last, second, third] = await lastLinks();
      const [entry] = await query<{ id: string }>("SELECT id FROM ledger_entries WHERE movement_id = $1", [second!.id]);
      const texts = await query<{ seq: number; text: string }>(
        "SELECT c.seq, ledger_movement_text(m) AS text FROM ledger_chain c JOIN ledger_movements m ON m.id = movement_id",
      );
      const before = (await query<{ hash: string }>("SELECT hash FROM ledger_chain WHERE seq = $1", [third!.seq]))[0]!;
      const textOf = (seq: number) => texts.find((each) => each.seq === seq)!.text;
      const altered = chainHash(
        before.hash,
        textOf(second!.seq).replace(/"description": "[^"]*"/, '"description": "x"'),
      );
      const whereSecond = `Ledger transaction ${second!.seq} (${second!.id}) was`;
      const unmade: Statement[] = [
        ["DELETE FROM ledger_entries WHERE movement_id = $1", [second!.id]],
        ["DELETE FROM ledger_movements WHERE id = $1", [second!.id]],
      ];
      const late = firstIdAt(Date.parse("2020-01-01"));
      const putIn = `INSERT INTO ledger_movements (id, reference_type, reference_id, description)
        VALUES ($1, 'gift', gen_random_uuid(), 'Never happened')`;
      const rename: Statement = ["UPDATE ledger_movements SET description = 'x' WHERE id = $1", [second!.id]];
      const rehash = "UPDATE ledger_chain SET hash = $2 WHERE seq = $1";
      const { seq } = second!;
      const negate: Statement = ["UPDATE ledger_chain SET seq = -seq WHERE seq IN ($1, $2)", [seq, third!.seq]];
      const swap = "UPDATE ledger_chain SET seq = $1::bigint + $2::bigint + seq WHERE seq < 0";
      return [
        [`${whereSecond} altered`, ["UPDATE ledger_entries SET amount = amount * 2 WHERE id = $1", [entry!.id]]],
        [`${whereSecond} altered`, rename],
        [`${whereSecond} removed`, ...unmade],
        [`Ledger transaction ${seq} was removed`, ...unmade, ["DELETE FROM ledger_chain WHERE seq = $1", [seq]]],
        [`Ledger transaction ${third!.seq} (${second!.id}) was altered, moved`, negate, [swap, [seq, third!.seq]]],
        [`Ledger transaction ${late} was put in`, [putIn, [late]]],
        [
          `Ledger transaction ${seq} was removed, with all that followed, up to ${last!.seq}`,
          ["DELETE FROM ledger_chain WHERE seq >= $1", [seq]],
        ],
        [
          `Ledger transaction ${seq}, or one before it, was rewritten`,
          rename,
          [rehash, [seq, altered]],
          [rehash, [last!.seq, chainHash(altered, textOf(last!.seq))]],
        ],
      ];
    }

    it("names the first ledger transaction that was altered, removed, moved, put in, or rewritten", async () => {
      for (const [says, ...statements] of await alterations())
        expect(await tampered(tables, statements, differenceNow)).to.include(says);
      expect(await differenceNow()).to.equal("none");
    });

    it("is verified in an export, against the heads that were kept and an earlier export", async () => {
      const heads = join(folder, "ledger-heads.ndjson");
      const earlier = await exported("earlier.ndjson", await linesNow());
      await buildUser({ coins: 50 });
      const lines = await linesNow();
      const later = await exported("later.ndjson", lines);
      const renamed = rechained(lines, (entry, index) =>
        index === 0 ? entry.replace(/"description": "[^"]*"/, '"description": "x"') : entry,
      );
      const forged = await exported("forged.ndjson", renamed);

      expect(await verifyExport(later, "--earlier", earlier, "--heads", heads)).to.match(
        new RegExp(`^Verified: ${lines.length - 1} entries`),
      );
      expect(await verifyExport(earlier, "--earlier", later)).to.include("missing or altered");
      expect(await verifyExport(forged)).to.match(/^Verified/);
      expect(await verifyExport(forged, "--heads", heads)).to.include("was rewritten");
    });

    it("keeps money of each currency apart from coins in an export", async () => {
      const lines = await linesNow();
      const inEuros = rechained(lines, (entry) => entry.replace('"currency": "USD"', '"currency": "EUR"'));
      const noCents = rechained(lines, (entry) => entry.replaceAll("125000", "120000").replace("120000", "125000"));

      expect(lines.filter((line) => line.includes("USD"))).to.have.length(1);
      expect(await verifyExport(await exported("euros.ndjson", inEuros))).to.match(/add up to -?\d+ (EUR|USD)/);
      expect(await verifyExport(await exported("cents.ndjson", noCents))).to.match(/add up to|doesn't continue/);
    });

    /** Returns an export with changed transactions, with new hashes and a new head. */
    function rechained(lines: readonly string[], change: (entry: string, index: number) => string): string[] {
      let hash = "";
      const links = lines.slice(0, -1).map((line, index) => {
        const { entry } = JSON.parse(line) as { entry: string };
        const text = change(entry, index);
        hash = chainHash(hash, text);
        return linkLine({ seq: index + 1, id: "", text, hash });
      });
      return [...links, headLine(signHead(links.length, hash))];
    }
  });
});
