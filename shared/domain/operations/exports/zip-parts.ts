import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import yazl from "yazl";
import { liftTimeouts } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { listFiles } from "#shared/domain/base/media/list-files.ts";
import { assert } from "#shared/kernel/assert.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import type { ExportPart } from "./export-parts.ts";

const rowsAtOnce = 500;
const pieceBytes = 1_000_000;
/** No one's texts come near it, and pictures have a limit of their own. */
const zipBytesMax = 2_000_000_000;
const mediaBytesMax = 1_500_000_000;

/** The export that a zip belongs to. */
interface Target {
  readonly id: string;
  readonly user_id: string;
  readonly attempt: number;
}

/**
 * Writes each part as a JSON file of a zip, and the zip in pieces to the database, in bounded memory: rows are read
 * only as fast as pieces are stored. Reports the percentage of parts that are done. Returns the size of the zip, bytes.
 */
export async function zipParts(
  parts: readonly ExportPart[],
  target: Target,
  report: (percent: number) => Promise<unknown>,
): Promise<number> {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as PassThrough;
  zip.on("error", (error) => output.destroy(error as Error));
  const failure = new AbortController();
  const stored = storePieces(target, output).catch((error: unknown) => {
    failure.abort(error);
    throw error;
  });
  try {
    const files: { name: string; rows: number }[] = [];
    for (const [index, { name, sql }] of parts.entries()) {
      const file = new PassThrough();
      zip.addReadStream(file, `${name}.json`);
      files.push({ name: `${name}.json`, rows: await writeRows(sql, target.user_id, file, failure.signal) });
      await report(Math.floor((100 * (index + 1)) / (parts.length + 1)));
    }
    const index = { exported_at: isoNow(), user_id: target.user_id, files, ...(await addMedia(zip, target.user_id)) };
    zip.addBuffer(Buffer.from(`${JSON.stringify(index, null, 2)}\n`), "index.json");
    zip.end();
  } catch (error) {
    output.destroy(error as Error);
    await stored; // Fails with the first error: this one, or the one that aborted this.
  }
  return await stored;
}

/** Adds the files that the user has uploaded, newest first. Returns how many there are, and how many had no room. */
async function addMedia(zip: yazl.ZipFile, userId: string): Promise<{ media: number; media_left_out: number }> {
  const shown = await listFiles(userId);
  let [bytes, added] = [0, 0];
  for (const { name, size, read } of shown) {
    if (bytes + size > mediaBytesMax) continue;
    [bytes, added] = [bytes + size, added + 1];
    zip.addReadStreamLazy(`media/${name}`, { compress: false }, (give) => {
      read().then(
        (stream) => give(null, stream),
        (error: Error) => give(error, undefined as never),
      );
    });
  }
  return { media: added, media_left_out: shown.length - added };
}

/** Writes the rows of a query as a JSON array, and ends the file. Returns how many. */
async function writeRows(sql: string, userId: string, file: PassThrough, signal: AbortSignal): Promise<number> {
  let rows = 0;
  const write = async (text: string) => {
    if (!file.write(text)) await once(file, "drain", { signal });
  };
  await inTransaction(async (tx) => {
    await liftTimeouts();
    await tx.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT row_to_json(one)::text AS line FROM (${sql}) AS one`, [
      userId,
    ]);
    for (let count = rowsAtOnce; count === rowsAtOnce; ) {
      signal.throwIfAborted();
      const read = await tx.query<{ line: string }>(`FETCH ${rowsAtOnce} FROM rows`);
      count = read.length;
      const text = read.map(({ line }, index) => (rows + index === 0 ? line : `,\n${line}`)).join("");
      await write((rows === 0 ? "[" : "") + text);
      rows += count;
    }
  });
  file.end("]\n");
  return rows;
}

/** Stores a stream in pieces. Returns its size, bytes. */
async function storePieces({ id, attempt }: Target, zip: Readable): Promise<number> {
  let [bytes, number] = [0, 0];
  let waiting: Buffer[] = [];
  const store = async () => {
    const content = Buffer.concat(waiting);
    waiting = [];
    await alone("INSERT INTO user_export_pieces (export_id, attempt, number, content) VALUES ($1, $2, $3, $4)", [
      id,
      attempt,
      number,
      content,
    ]);
    number += 1;
  };
  let size = 0;
  for await (const chunk of zip as AsyncIterable<Buffer>) {
    waiting.push(chunk);
    size += chunk.length;
    bytes += chunk.length;
    assert(bytes <= zipBytesMax, "an export has a size that can be stored");
    if (size < pieceBytes) continue;
    await store();
    size = 0;
  }
  if (size > 0) await store();
  return bytes;
}
