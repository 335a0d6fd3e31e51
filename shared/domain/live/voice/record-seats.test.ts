import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WebSocket } from "ws";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { service as ours } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { configureEvidence } from "#shared/domain/live/evidence/evidence.config.ts";
import { removeOrphans, stopRecording } from "#shared/domain/live/evidence/recorder.ts";
import { streamPath } from "#shared/domain/live/evidence/stream-path.ts";
import { fileReport } from "#shared/domain/operations/reports/file-report.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { FakeLiveKit } from "#shared/testing/fakes/livekit/fake-livekit.ts";
import { callerOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { TestRoom } from "#shared/testing/test-room.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { issueVoiceToken } from "./issue-voice-token.ts";
import { mediaRoomOf } from "./media-server.ts";
import { configureVoice } from "./voice.config.ts";
import { startVoiceWorker } from "./voice-worker.ts";

/** A second of sound as the media server sends it. */
const sound = Buffer.alloc(48_000 * 4, Buffer.from([0, 16]));

describe("the recording of seats", () => {
  const service = useService();
  const time = useClock();
  let livekit: FakeLiveKit;
  let folder: string;
  let room: TestRoom;
  let speaker: UserPrincipal;
  let stopWorker: () => Promise<void>;

  const turn = (isOn: boolean) => changeSettings(ours, { voice_evidence: isOn });
  const takeSeat = async (user = speaker) => {
    await room.change(user.userId, "publish");
    await livekit.connect((await issueVoiceToken(room, user, room.id)).token);
    return livekit.publish(mediaRoomOf(room.id), user.userId);
  };
  const recorded = async (trackId: string) => {
    const isActive = () => livekit.egress.active(trackId)[0]?.status === "EGRESS_ACTIVE";
    await until("the track is recorded", isActive);
    return livekit.egress.active(trackId)[0]!;
  };
  const notRecorded = (trackId: string) =>
    until("the track is no longer recorded", () => livekit.egress.active(trackId).length === 0);
  const looked = async () => {
    const looks = livekit.callsOf("ListEgress").length;
    await until("the room is looked at again", () => livekit.callsOf("ListEgress").length > looks + 1);
  };
  const newUser = async () => callerOf(await buildUser());
  const report = async (target_type: "user" | "room", target_id: string) =>
    (await fileReport(await newUser(), { target_type, target_id, reason: "Threats", details: "" })).id;
  /** The seconds that are sealed for a report, by user. */
  const sealed = async (reportId: string) => {
    const rows = await query<{ user_id: string; seconds: number }>(
      `SELECT user_id, round(sum(samples) / 16000.0, 1)::float AS seconds FROM voice_evidence_pieces
       JOIN voice_evidence_reports USING (evidence_id) WHERE report_id = $1 GROUP BY user_id`,
      [reportId],
    );
    return Object.fromEntries(rows.map(({ user_id, seconds }) => [user_id, seconds]));
  };
  const sealedSeconds = async (reportId: string, seconds: number) =>
    until(`${seconds} s are sealed`, async () => (await sealed(reportId))[speaker.userId] === seconds);
  /** Files reports until one has all that was sent. When the first is filed, some or all may be on its way. */
  const sealedSoon = async (file: () => Promise<string>, seconds: number) => {
    const filed: string[] = [];
    let whole: string | undefined;
    await until("what was sent is sealed", async () => {
      for (const id of filed) if ((await sealed(id))[speaker.userId] === seconds) whole = id;
      if (!whole) filed.push(await file());
      return whole;
    });
    return whole!;
  };
  const foldersLeft = async () => (await readdir(folder, { recursive: true }).catch(() => [])).length;

  beforeEach(async () => {
    livekit = await FakeLiveKit.start();
    folder = await mkdtemp(join(tmpdir(), "hubbub-evidence-"));
    configureVoice(livekit.credentials, { pollMs: 20, watchEveryMs: 50, recordAgainMs: 100 });
    configureEvidence({ folder, url: service.url });
    await turn(true);
    room = new TestRoom();
    speaker = await newUser();
    await query(
      "INSERT INTO rooms (id, host_id, name, category, language, seat_count) VALUES ($1, $2, 'r', 'c', 'en', 8)",
      [room.id, speaker.userId],
    );
    stopWorker = startVoiceWorker(room);
  });
  afterEach(async () => {
    await stopWorker();
    await stopRecording();
    configureEvidence(undefined);
    configureVoice(undefined);
    await livekit.stop();
    await rm(folder, { recursive: true });
    for (const table of ["settings", "voice_grants", "voice_watches"]) await query(`DELETE FROM ${table}`);
    await loadSettings();
  });

  it("seals what was said when the room or a user in it is reported", async () => {
    const recording = await recorded(await takeSeat());
    recording.send(sound);
    recording.send(sound);
    const ofRoom = await sealedSoon(() => report("room", room.id), 2);
    const ofUser = await report("user", speaker.userId);
    await sealedSeconds(ofUser, 2);
    expect(Object.keys(await sealed(ofRoom))).to.deep.equal([speaker.userId]);
  });

  it("leaves nothing when the room ends without a report", async () => {
    const recording = await recorded(await takeSeat());
    time.forward(5000);
    for (let second = 0; second < 11; second += 1) recording.send(sound);
    await until("a piece is kept", async () => (await foldersLeft()) > 2);
    await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [room.id]);
    await room.close();
    await until("the pieces are gone", async () => (await foldersLeft()) === 1);
    expect(await sealed(await report("room", room.id))).to.deep.equal({});
  });

  it("keeps nothing while a speaker is muted, and no silence", async () => {
    const recording = await recorded(await takeSeat());
    recording.send(sound);
    recording.mute(true);
    recording.send(sound);
    recording.mute(false);
    recording.send(Buffer.alloc(sound.length));
    recording.mute(true);
    recording.mute(false);
    recording.send(sound);
    await sealedSoon(() => report("room", room.id), 2);
  });

  it("ends when the seat is lost, and begins again with it", async () => {
    const first = await takeSeat();
    await recorded(first);
    await room.change(speaker.userId, "listen");
    await notRecorded(first);
    await room.change(speaker.userId, "publish");
    await until(
      "the speaker may speak",
      () => livekit.participant(mediaRoomOf(room.id), speaker.userId)?.permission.canPublish,
    );
    await recorded(livekit.publish(mediaRoomOf(room.id), speaker.userId));
  });

  it("is nothing for those who were not told", async () => {
    await turn(false);
    const trackId = await takeSeat();
    expect(livekit.participants[0]?.attributes).to.deep.equal({});
    await turn(true);
    await recorded(await takeSeat(await newUser()));
    await looked();
    expect(livekit.egress.active(trackId)).to.deep.equal([]);
  });

  it("does nothing, and makes no calls, while the setting is off", async () => {
    await turn(false);
    await takeSeat();
    const { voice_evidence } = await issueVoiceToken(room, speaker, room.id);
    const looks = livekit.callsOf("ListParticipants").length;
    await until("the room is looked at", () => livekit.callsOf("ListParticipants").length > looks + 2);
    expect({ voice_evidence, calls: livekit.callsOf("ListEgress").length }).to.deep.equal({
      voice_evidence: false,
      calls: 0,
    });
    expect(await report("room", room.id).then(sealed)).to.deep.equal({});
    expect(await foldersLeft()).to.equal(0);
  });

  it("ends when the setting is turned off", async () => {
    const trackId = await takeSeat();
    const recording = await recorded(trackId);
    await turn(false);
    time.forward(5000);
    for (let second = 0; second < 11; second += 1) recording.send(sound);
    await notRecorded(trackId);
    expect(await foldersLeft()).to.equal(0);
  });

  it("has one stream for each track, whatever process began others, and begins again those that broke off", async () => {
    const trackId = await takeSeat();
    const recording = await recorded(trackId);
    const [roomName, websocketUrl] = [mediaRoomOf(room.id), recording.input.websocketUrl];
    livekit.egress.start({ roomName, trackId: "TR_unknown", websocketUrl });
    const foreign = livekit.egress.start({
      roomName,
      trackId,
      websocketUrl: websocketUrl.replace("/voice/", "/other/"),
    });
    foreign.status = "EGRESS_ACTIVE";
    await until("the surplus is stopped", () => livekit.egress.active("TR_unknown").length === 0);
    recording.stop();
    await until("it is recorded again", () =>
      livekit.egress
        .active(trackId)
        .some((one) => one.status === "EGRESS_ACTIVE" && one !== recording && one !== foreign),
    );
    expect(livekit.callsOf("StopEgress").some(({ egressId }) => egressId === foreign.egressId)).to.equal(false);
  });

  it("doesn't disturb voice rights when the egress service fails", async () => {
    livekit.failEgress = true;
    await takeSeat();
    await room.change(speaker.userId, "listen");
    await until(
      "the seat is lost",
      () => !livekit.participant(mediaRoomOf(room.id), speaker.userId)?.permission.canPublish,
    );
    expect(livekit.egress.recordings).to.deep.equal([]);
  });

  it("ends a stream that sends faster than people speak", async () => {
    const trackId = await takeSeat();
    const recording = await recorded(trackId);
    for (let second = 0; second < 15; second += 1) recording.send(sound);
    await until("the stream is ended", () => recording.status === "EGRESS_FAILED");
  });

  it("deletes what killed processes have left, and nothing of those that live", async () => {
    const [dead, alive] = [join(folder, "dead", room.id), join(folder, "alive", room.id)];
    for (const one of [dead, alive]) await mkdir(one, { recursive: true });
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const one of [dead, join(folder, "dead"), join(folder, "alive")]) await utimes(one, longAgo, longAgo);
    expect(await removeOrphans()).to.equal(1);
    expect(await readdir(folder)).to.deep.equal(["alive"]);
  });

  it("accepts only addresses that the service has made, for a minute, while the room is open", async () => {
    const opens = (path: string) =>
      new Promise((resolve) => {
        const socket = new WebSocket(service.url.replace(/^http/, "ws") + path);
        socket.on("open", () => resolve(true));
        socket.on("error", () => resolve(false));
        socket.on("open", () => socket.close());
      });
    const path = () => streamPath({ roomId: room.id, userId: speaker.userId, trackId: `TR_${newId().slice(-8)}` });
    expect(await opens(path())).to.equal(true);
    expect(await opens(path().replace(speaker.userId, newId()))).to.equal(false);
    expect(await opens("/voice/evidence/")).to.equal(false);
    const before = path();
    time.forward(61_000);
    expect(await opens(before)).to.equal(false);
    await query("UPDATE rooms SET status = 'closed' WHERE id = $1", [room.id]);
    expect(await opens(path())).to.equal(false);
  });
});
