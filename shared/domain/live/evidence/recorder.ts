import { randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { onSignal } from "#shared/db/signals.ts";
import { Rooms } from "#shared/domain/live/rooms/room.model.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { evidenceFolder, keepsVoice } from "./evidence.config.ts";
import { keptMs, RoomRing } from "./room-ring.ts";
import { SeatStream } from "./seat-stream.ts";
import type { SeatTrack } from "./stream-path.ts";

/** How many seats one process records. Further ones are refused, and tried again elsewhere or later. */
const streamsMax = 64;
const tickMs = 10_000;

interface RecordedRoom {
  readonly ring: RoomRing;
  readonly streams: Set<SeatStream>;
}

/** The rooms that this process records, each with the only copy of its key. */
const rooms = new Map<string, RecordedRoom>();
/** This process's folder: another one's can't be mistaken for it. */
const own = randomUUID();
let timer: NodeJS.Timeout | undefined;

const streamsNow = (): SeatStream[] => [...rooms.values()].flatMap(({ streams }) => [...streams]);

/**
 * Begins to keep what a seat says. `end` is called once the stream must end. Returns undefined if audio isn't kept, the
 * room is closed, the track is recorded already, or this process records as many as it can.
 */
export async function recordSeat(track: SeatTrack, end: () => void): Promise<SeatStream | undefined> {
  const folder = evidenceFolder();
  if (!keepsVoice() || !folder) return undefined;
  const recorded = rooms.get(track.roomId) ?? {
    ring: new RoomRing(track.roomId, join(folder, own, track.roomId)),
    streams: new Set(),
  };
  rooms.set(track.roomId, recorded);
  timer ??= startTimer();
  const room = await Rooms.read({ id: track.roomId }, ["status"]);
  const streams = streamsNow();
  const isTaken = streams.length >= streamsMax || streams.some(({ trackId }) => trackId === track.trackId);
  // The room may have ended while it was read.
  if (room?.status !== "open" || rooms.get(track.roomId) !== recorded || isTaken) return undefined;

  const stream: SeatStream = new SeatStream(track, {
    keep: (startedMs, speech) => {
      if (keepsVoice()) recorded.ring.add(track.userId, startedMs, speech);
      else void stopRecording();
    },
    ended: () => {
      recorded.streams.delete(stream);
      end();
    },
  });
  recorded.streams.add(stream);
  return stream;
}

function startTimer(): NodeJS.Timeout {
  removeOrphans().catch((error: unknown) => logger.warn({ err: error }, "left audio could not be deleted"));
  return setInterval(tick, tickMs).unref();
}

/** Ends all recording in this process: forgets the keys, and deletes the pieces. */
export async function stopRecording(): Promise<void> {
  await Promise.all([...rooms.keys()].map(endRoom));
  const folder = evidenceFolder();
  if (folder) await rm(join(folder, own), { recursive: true, force: true });
}

async function endRoom(roomId: string): Promise<void> {
  const room = rooms.get(roomId);
  if (!room) return;
  rooms.delete(roomId);
  for (const stream of room.streams) stream.end();
  if (rooms.size === 0) {
    clearInterval(timer);
    timer = undefined;
  }
  await room.ring.end();
}

/** Ends what is no longer recorded, and lets the rest forget what is older than five minutes. */
export function tick(): void {
  if (!keepsVoice()) void stopRecording();
  for (const [roomId, { ring, streams }] of rooms) {
    ring.drop();
    if (streams.size === 0 && ring.isEmpty) void endRoom(roomId);
  }
}

/**
 * Deletes what processes have left that were killed. It can't be read: its keys died with them. Called when this
 * process begins to record, and by a job.
 */
export async function removeOrphans(): Promise<number> {
  const folder = evidenceFolder();
  const names = folder ? await readdir(folder).catch(() => []) : [];
  let removed = 0;
  for (const name of names) {
    const path = join(folder!, name);
    if (name === own || !(await isOrphan(path))) continue;
    await rm(path, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

/** A folder of a living process has rooms in it that change all the time. */
async function isOrphan(path: string): Promise<boolean> {
  const inside = await readdir(path).catch(() => []);
  const changed = await Promise.all(
    [path, ...inside.map((name) => join(path, name))].map((one) =>
      stat(one).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...changed) < clock.now() - 2 * keptMs;
}

onSignal("voice.room_closed", ({ room_id }) => void endRoom(room_id));

onSignal("voice.reported", ({ report_id, room_id, user_id }) => {
  for (const [roomId, { ring, streams }] of rooms) {
    if (room_id && room_id !== roomId) continue;
    for (const stream of streams) stream.cut();
    if (!room_id && !ring.hasSpoken(user_id)) continue;
    logger.info({ roomId, reportId: report_id }, "audio is sealed for a report");
    ring.seal(report_id);
  }
});
