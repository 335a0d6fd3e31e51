import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import pLimit from "p-limit";
import { Tinypool } from "tinypool";
import type { MediaKind } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import type { RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { secondsMs } from "#shared/kernel/clock.ts";
import type { FilePlace } from "../filter/places.ts";
import { type Inspected, type Inspection, Refusal } from "./inspection.ts";
import { type FileVerdict, judgeFile } from "./judge-media.ts";
import { mediaStore } from "./media.config.ts";
import { MediaModel } from "./media.model.ts";
import type { StoredCard } from "./media-card.ts";
import { fileKey, uploadKey } from "./media-keys.ts";
import { kindOf, purposes } from "./purposes.ts";
import { removeLater, removeObjects } from "./remove-media.ts";

/** Reads what was uploaded, and makes the files that are shown. */
export const processJob = defineJob<{ media_id: string }>("media.process", {
  retries: 10,
  retryMaxSeconds: 60,
  // Their files are read one after the other. Who comes next waits for these.
  atOnce: 4,
  timeoutSeconds: 600,
});

/** How often a file is begun before it is rejected: for some two minutes, in which the store may be away. */
const attemptsMax = 8;
/** From which attempt on a file is rejected if the process that reads it ends. */
const readsMax = 3;
/** How long one file may take from its turn on, milliseconds. */
const inspectMs = secondsMs(20);

/** One other process, which ends when nothing comes. */
const pool = new Tinypool({
  filename: new URL("./inspect-media.ts", import.meta.url).href,
  runtime: "child_process",
  minThreads: 0,
  maxThreads: 1,
  idleTimeout: secondsMs(30),
});
/** It reads one file at a time. */
const inTurn = pLimit({ concurrency: 1, rejectOnClear: true });

/** Ends the other process. What it reads and what waits for it fails, and is tried again. */
export function stopReadingMedia(): Promise<void> {
  inTurn.clearQueue();
  return pool.destroy();
}

type MediaRow = RowOf<typeof MediaModel>;

/** What a judge is asked about. */
const judgedAs: { readonly [Kind in MediaKind]?: FilePlace } = { image: "picture", audio: "audio" };

/** The process that reads a file has ended, perhaps by that file. */
class ReaderEnded extends Error {}

class RefusedByRule extends Refusal {
  readonly rule: Omit<FileVerdict, "reason">;

  constructor({ reason, ...rule }: FileVerdict) {
    super(reason);
    this.rule = rule;
  }
}

/** Processes what was uploaded; handles `processJob`. Once that has ended, deletes what an attempt has left. */
export async function processMedia(id: string): Promise<void> {
  const row = await beginAttempt(id);
  if (!row) return removeObjects([id]);
  const folder = await mkdtemp(join(tmpdir(), "hubbub-media-"));
  try {
    await settle(row, row.attempts > attemptsMax ? unstored() : await attempt(row, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the card of what was uploaded, or why it is refused. @throws Error, to be tried again */
async function attempt(row: MediaRow, folder: string): Promise<StoredCard | Refusal> {
  try {
    return await makeFiles(row, folder);
  } catch (error) {
    if (error instanceof Refusal) return error;
    if (error instanceof ReaderEnded && row.attempts >= readsMax) return new Refusal("The file can't be read.");
    if (row.attempts < attemptsMax) throw error;
    return unstored();
  }
}

const unstored = () => new Refusal("The file can't be stored now. Send it again later.");

async function makeFiles(row: MediaRow, folder: string): Promise<StoredCard> {
  const { id, bytes, content_type: contentType, purpose, sha256 } = row;
  const store = mediaStore();
  const path = join(folder, "original");
  if ((await store.sizeOf(uploadKey(id))) !== bytes) throw new Refusal("The bytes are not as many as announced.");
  await pipeline(await store.read(uploadKey(id)), createWriteStream(path));
  if (sha256 && (await hashOf(path)) !== sha256) throw new Refusal("The bytes have another SHA-256 than announced.");

  const { sizes, animated, isPrivate } = purposes[purpose];
  const inspected = await inspect({ kind: kindOf(contentType), contentType, path, folder, sizes, animated });
  const card = cardOf(row, inspected, isPrivate);
  const seen = inspected.variants.find(({ name }) => name === "medium") ?? inspected.variants[0];
  const place = judgedAs[kindOf(contentType)];
  const { content_type } = inspected;
  if (row.user_id !== null && place && seen) {
    const judged = { kind: place, userId: row.user_id, purpose, content_type, path: join(folder, seen.file) };
    const refused = await judgeFile(judged);
    if (refused) throw new RefusedByRule(refused);
  }
  for (const { file } of inspected.variants)
    await store.put(fileKey(id, file, isPrivate), join(folder, file), inspected.content_type);
  return card;
}

async function inspect(inspection: Inspection): Promise<Inspected> {
  const result: Inspected | { refused: string } = await inTurn(() => {
    const signal = AbortSignal.timeout(inspectMs);
    return pool.run(inspection, { signal }).catch((cause: unknown) => {
      if (signal.aborted) throw new Refusal("The file takes too long to read.");
      throw new ReaderEnded("the process that reads media has ended", { cause });
    });
  });
  if ("refused" in result) throw new Refusal(result.refused);
  return result;
}

const cardOf = (
  { id, name, content_type, waveform }: MediaRow,
  inspected: Inspected,
  isPrivate: boolean,
): StoredCard => ({
  id,
  kind: kindOf(content_type),
  name,
  waveform: waveform as number[] | null,
  ...inspected,
  path: `media/${id}/`,
  ...(isPrivate && { is_private: true }),
});

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

const beginAttempt = (id: string): Promise<MediaRow | undefined> =>
  inTransaction(async (tx) => {
    const row = await MediaModel.lock(tx, { id, state: "processing" });
    if (!row) return undefined;
    const attempts = row.attempts + 1;
    await MediaModel.change(tx, { id }, { attempts });
    return { ...row, attempts };
  });

/** Notes how it ended. What is no longer needed is deleted after that, also if this process is killed. */
async function settle({ id, user_id }: MediaRow, result: StoredCard | Refusal): Promise<void> {
  const values =
    result instanceof Refusal
      ? ({ state: "rejected", reason: result.message, ...(result instanceof RefusedByRule && result.rule) } as const)
      : ({ state: "ready", card: result } as const);
  const settled = await inTransaction(async (tx) => {
    const changed = await MediaModel.change(tx, { id, state: "processing" }, values);
    if (changed) await tellProcessed(tx, id, user_id);
    if (changed) await removeLater(tx, id);
    return changed;
  });
  // It was deleted, or another attempt was quicker: this one may have stored files since.
  if (!settled) await removeObjects([id]);
}

async function tellProcessed(tx: Tx, media_id: string, user_id: string | null): Promise<void> {
  await tx.signal("media.processed", { media_id });
  if (user_id) await tx.publish("media.updated", { media_id, user_id });
}
