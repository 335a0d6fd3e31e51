import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { speechRate } from "#shared/domain/live/evidence/speech.ts";
import {
  eraseVoiceEvidence,
  linkReport,
  openEvidence,
  pruneVoiceEvidence,
  storePiece,
} from "#shared/domain/live/evidence/store-evidence.ts";
import { recordControl } from "#shared/domain/operations/admins/admin-controls.ts";
import { fileReport } from "#shared/domain/operations/reports/file-report.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { adminCaller, callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

const allowed = ["reports.read", "reports.listen"] as const;

describe("evidence of voice", () => {
  const service = useService();
  const time = useClock();
  let [first, second]: BuiltAdmin[] = [];
  let [ada, grace]: BuiltUser[] = [];
  let reportId: string;
  let id: string;

  const speech = (seconds: number, sample: number) => Buffer.alloc(seconds * speechRate, sample);
  /** Ada speaks for 2 s, and again for 1 s a moment later; Grace from second 4 on for 3 s. */
  beforeEach(async () => {
    [first, second] = [await buildAdmin(allowed), await buildAdmin(allowed)];
    [ada, grace] = [await buildUser(), await buildUser()];
    const room = await buildRoom({ host: ada });
    const target = { target_type: "room", target_id: room.id, reason: "Threats", details: "" } as const;
    reportId = (await fileReport(callerOf(grace!), target)).id;
    const [evidence, startedMs] = [await openEvidence(room.id), clock.now()];
    await linkReport(evidence, reportId);
    const pieces = [
      { userId: ada!.id, startedMs, content: speech(2, 1) },
      { userId: ada!.id, startedMs: startedMs + 2100, content: speech(1, 2) },
      { userId: grace!.id, startedMs: startedMs + 4000, content: speech(3, 3) },
    ];
    for (const [number, piece] of pieces.entries()) await storePiece(evidence, { number, ...piece });
    id = evidence.id;
  });

  const call = (verb: string, by: BuiltAdmin, body?: object) =>
    service.admin("post", `/voice-evidence/${id}/${verb}`, { token: by.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";
  const request = (by = first!) => codeOf("request", by, { reason: "Threats" });
  const read = async () => (await service.admin("get", `/voice-evidence/${id}`, { token: first!.token })).body.data;
  const open = async () => [await request(), await codeOf("approve", second!)];
  const linkTo = async (user: BuiltUser, by = first!): Promise<string> => {
    const { seats } = (await call("listen", by)).body.data;
    const { url } = seats.find(({ user_id }: { user_id: string }) => user_id === user.id);
    return url.replace(/^https?:\/\/[^/]+/, service.url);
  };
  const download = async (url: string) => {
    const response = await fetch(url);
    return { status: response.status, audio: Buffer.from(await response.arrayBuffer()) };
  };

  it("is shown with its report: who is heard, and how long", async () => {
    const { body } = await service.admin("get", `/reports/${reportId}`, { token: first!.token });
    const [evidence] = body.data.voice_evidence;
    const seats = [
      { user_id: ada!.id, seconds: 3 },
      { user_id: grace!.id, seconds: 3 },
    ].sort((one, other) => one.user_id.localeCompare(other.user_id));
    expect(evidence).to.deep.include({ id, seconds: 7, status: "sealed", seats, report_ids: [reportId] });
    const { body: listed } = await service.admin("get", `/voice-evidence?room_id=${evidence.room_id}&status=sealed`, {
      token: first!.token,
    });
    expect(listed.data.items.map((item: { id: string }) => item.id)).to.deep.equal([id]);
  });

  it("can't be heard by one administrator alone", async () => {
    expect(await codeOf("listen", first!)).to.equal("CONFLICT");
    expect(await request()).to.equal("ok");
    expect(await codeOf("listen", first!)).to.equal("CONFLICT");
    expect(await codeOf("approve", first!)).to.equal("FORBIDDEN");
    expect(await request(second!)).to.equal("CONFLICT");
    expect(await codeOf("listen", second!)).to.equal("CONFLICT");
    expect(await codeOf("approve", await buildAdmin(["reports.read", "reports.write"]))).to.equal("FORBIDDEN");
    expect((await read()).status).to.equal("requested");
  });

  it("can't be approved by an account that the requester controls", async () => {
    await inTransaction((tx) => recordControl(tx, { ...adminCaller(), adminId: first!.id }, second!.id));
    expect(await open()).to.deep.equal(["ok", "FORBIDDEN"]);
  });

  it("can be heard by the two who opened it, and no one else", async () => {
    expect(await open()).to.deep.equal(["ok", "ok"]);
    expect(await codeOf("listen", await buildAdmin(allowed))).to.equal("FORBIDDEN");
    const { status, audio } = await download(await linkTo(ada!));
    expect({ status, bytes: audio.length }).to.deep.equal({ status: 200, bytes: 58 + 3 * speechRate });
    expect([audio[58], audio.at(-1)]).to.deep.equal([1, 2]);

    // What is said later begins later, so that all files can be heard together.
    const later = await download(await linkTo(grace!, second!));
    expect(later.audio.length).to.equal(58 + 7 * speechRate);
    expect(later.audio.readUInt32LE(54)).to.equal(7 * speechRate);
    expect(later.audio.indexOf(3, 58)).to.equal(58 + 4 * speechRate);
  });

  it("leaves each request, approval, and hearing in the audit log", async () => {
    await open();
    await linkTo(ada!);
    await linkTo(ada!, second!);
    const entries = await query<{ action: string; by: string; reason: string | null }>(
      "SELECT action, principal_id AS by, reason FROM audit_log WHERE target_id = $1 ORDER BY seq",
      [id],
    );
    expect(entries.map(({ action, by }) => [action, by])).to.deep.equal([
      ["voice_evidence.request", first!.id],
      ["voice_evidence.approve", second!.id],
      ["voice_evidence.listen", first!.id],
      ["voice_evidence.listen", second!.id],
    ]);
    expect(entries[0]?.reason).to.equal("Threats");
  });

  it("has links that work for five minutes, and for one seat", async () => {
    await open();
    const link = await linkTo(ada!);
    expect((await download(link.replace(ada!.id, grace!.id))).status).to.equal(404);
    time.forward(minutesMs(6));
    expect((await download(link)).status).to.equal(404);
  });

  it("is closed again by an administrator, after a day, and when no one approves in time", async () => {
    await open();
    expect(await codeOf("close", second!)).to.equal("ok");
    expect(await read()).to.include({ status: "sealed", requested_by: null, reason: null });
    expect(await codeOf("close", second!)).to.equal("CONFLICT");

    await open();
    await query("UPDATE voice_evidence SET approved_at = now() - interval '25 hours' WHERE id = $1", [id]);
    expect(await codeOf("listen", first!)).to.equal("CONFLICT");
    expect(await request()).to.equal("ok");
    await query("UPDATE voice_evidence SET requested_at = now() - interval '73 hours' WHERE id = $1", [id]);
    expect(await codeOf("approve", second!)).to.equal("CONFLICT");
  });

  it("loses what a user said when their account is erased, and keeps the rest", async () => {
    await open();
    const link = await linkTo(ada!);
    expect(await inTransaction((tx) => eraseVoiceEvidence(tx, ada!.id))).to.equal(2);
    expect((await download(link)).status).to.equal(404);
    expect((await read()).seats).to.deep.equal([{ user_id: grace!.id, seconds: 3 }]);
  });

  it("is deleted after 30 days, with its key", async () => {
    expect(await pruneVoiceEvidence()).to.equal(0);
    await query("UPDATE voice_evidence SET expires_at = now() WHERE id = $1", [id]);
    expect(await pruneVoiceEvidence()).to.equal(1);
    for (const [table, column] of [
      ["voice_evidence", "id"],
      ...["_reports", "_pieces"].map((end) => [`voice_evidence${end}`, "evidence_id"]),
    ])
      expect(await query(`SELECT 1 FROM ${table} WHERE ${column} = $1`, [id])).to.deep.equal([]);
  });
});
