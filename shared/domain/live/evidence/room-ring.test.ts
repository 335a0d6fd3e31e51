import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import "#shared/testing/service.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { decryptPiece, newPieceKey } from "./piece-cipher.ts";
import { RoomRing } from "./room-ring.ts";
import { speechRate } from "./speech.ts";
import { openPieces } from "./store-evidence.ts";

const second = (sample: number) => Buffer.alloc(speechRate, sample);

/** Everything that is stored in the database, as text. Bytes are in hexadecimal. */
async function dump(): Promise<string> {
  const tables = await query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join("\n");
}

describe("the last minutes of a room", () => {
  useDatabase();
  const time = useClock();
  let folder: string;
  let key: Buffer;
  let ring: RoomRing;
  let roomId: string;
  let speaker: string;

  const files = () => readdir(folder).catch(() => []);
  const kept = async (count: number) =>
    until(`${count} pieces are kept`, async () => (await files()).length === count && ring.isIdle);
  const report = async () => {
    const { id: reporter } = await buildUser();
    const id = newId();
    await query(
      `INSERT INTO reports (id, reporter_id, target_type, target_id, target_user_id, reason, evidence)
       VALUES ($1, $2, 'room', $3, $4, 'Threats', '{}')`,
      [id, reporter, roomId, speaker],
    );
    ring.seal(id);
    await until("the report is dealt with", () => ring.isIdle);
    return id;
  };
  const evidenceOf = async (reportId: string): Promise<string[]> => {
    const rows = await query<{ id: string }>(
      "SELECT evidence_id AS id FROM voice_evidence_reports WHERE report_id = $1",
      [reportId],
    );
    return rows.map(({ id }) => id);
  };
  const heard = async (evidenceId: string) => {
    const read = (await openPieces(evidenceId))!;
    const pieces = await query<{ number: number }>(
      "SELECT number FROM voice_evidence_pieces WHERE evidence_id = $1 AND user_id = $2 ORDER BY number",
      [evidenceId, speaker],
    );
    return Promise.all(pieces.map(async ({ number }) => (await read(number))![0]!));
  };

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "hubbub-ring-")), "room");
    speaker = (await buildUser()).id;
    roomId = (await buildRoom()).id;
    key = newPieceKey();
    ring = new RoomRing(roomId, folder, key);
  });
  afterEach(async () => {
    await ring.end();
    await rm(join(folder, ".."), { recursive: true });
  });

  it("can't be read with the database, the disk, and the configuration once the room has ended", async () => {
    for (let sample = 1; sample <= 3; sample += 1) ring.add(speaker, clock.now(), second(sample));
    await kept(3);
    const [secret, copy] = [Buffer.from(key), join(folder, "..", "copy")];
    await cp(folder, copy, { recursive: true });
    await ring.end();

    expect(await files()).to.deep.equal([]);
    expect(key.equals(Buffer.alloc(32))).to.equal(true);
    const stolen = await Promise.all((await readdir(copy)).map((name) => readFile(join(copy, name))));
    // The copies are the pieces, and only this key opens them.
    const context = (number: number) => `voice of ${speaker} in ${roomId}, ${number}`;
    const opens = (one: Buffer, by: Buffer) =>
      [1, 2, 3].some((number) => {
        try {
          return decryptPiece(by, context(number), one).length > 0;
        } catch {
          return false;
        }
      });
    expect(stolen.map((one) => opens(one, secret))).to.deep.equal([true, true, true]);

    const stored = await dump();
    const everything = [stored, JSON.stringify(process.env), ...stolen.map((one) => one.toString("hex"))].join("\n");
    for (const form of [secret.toString("hex"), secret.toString("base64"), secret.toString("base64url")])
      expect(everything.includes(form)).to.equal(false);
    const sealedKeys = await query<{ id: string; sealed: string }>(
      "SELECT id, key_sealed AS sealed FROM voice_evidence",
    );
    const keys = sealedKeys.map(({ id, sealed }) => Buffer.from(unseal(`voice evidence ${id}`, sealed)!, "base64"));
    expect(stolen.some((one) => keys.some((by) => opens(one, by)))).to.equal(false);
  });

  it("are never on the disk as they sound", async () => {
    ring.add(speaker, clock.now(), second(42));
    await kept(1);
    const [name] = await files();
    expect((await readFile(join(folder, name!))).includes(Buffer.alloc(8, 42))).to.equal(false);
  });

  it("are forgotten after five minutes", async () => {
    ring.add(speaker, clock.now(), second(1));
    await kept(1);
    time.forward(minutesMs(4));
    ring.add(speaker, clock.now(), second(2));
    await kept(2);
    time.forward(minutesMs(2));
    ring.drop();
    await kept(1);
    expect(await heard((await evidenceOf(await report()))[0]!)).to.deep.equal([2]);
    time.forward(minutesMs(4));
    ring.drop();
    await kept(0);
    expect(ring.hasSpoken(speaker)).to.equal(false);
  });

  it("are sealed by a report, and remain when the room ends", async () => {
    ring.add(speaker, clock.now(), second(1));
    ring.add(speaker, clock.now(), second(2));
    const reportId = await report();
    await ring.end();
    const evidence = await evidenceOf(reportId);
    expect(evidence.length).to.equal(1);
    expect(await heard(evidence[0]!)).to.deep.equal([1, 2]);
    expect(await dump()).not.to.include(Buffer.alloc(8, 1).toString("hex"));
  });

  it("are sealed once for reports that come together, and again for later ones", async () => {
    ring.add(speaker, clock.now(), second(1));
    const first = await evidenceOf(await report());
    ring.add(speaker, clock.now(), second(2));
    expect(await evidenceOf(await report())).to.deep.equal(first);
    expect(await heard(first[0]!)).to.deep.equal([1, 2]);

    time.forward(minutesMs(6));
    ring.add(speaker, clock.now(), second(3));
    const later = await evidenceOf(await report());
    expect(later).not.to.deep.equal(first);
    expect(await heard(later[0]!)).to.deep.equal([3]);
  });

  it("leave nothing of a report that comes when no one has spoken, or after the end", async () => {
    expect(await evidenceOf(await report())).to.deep.equal([]);
    ring.add(speaker, clock.now(), second(1));
    await ring.end();
    expect(await evidenceOf(await report())).to.deep.equal([]);
  });

  it("are dropped while the disk is too slow", async () => {
    for (let count = 0; count < 200; count += 1) ring.add(speaker, clock.now(), second(1));
    await until("all is written", () => ring.isIdle);
    expect((await files()).length).to.be.within(60, 70);
  });
});
