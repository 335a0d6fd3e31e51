import { createHash } from "node:crypto";
import { open, readdir, readFile, rename, stat } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { encode } from "blurhash";
import { fileTypeFromFile } from "file-type";
import { ADTS, FilePathSource, Input, MP3, MP4, OGG, WEBM } from "mediabunny";
import sharp from "sharp";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import { type Inspected, type Inspection, Refusal } from "./inspection.ts";
import { pixelsMax, soundMsMax } from "./purposes.ts";

/**
 * Reads what people upload, in a process of its own at a low priority: what a file does to a decoder does nothing to
 * the service.
 */
await goLast();
sharp.concurrency(1);
sharp.cache(false);

/** Lowers the priority of all threads. Linux gives each its own; those that they start inherit it. */
async function goLast(): Promise<void> {
  const threads = (await readdir("/proc/self/task").catch(unlessAbsent)) ?? [];
  for (const id of [0, ...threads.map(Number)]) setPriority(id, constants.priority.PRIORITY_LOW);
}

const typeNames: Readonly<Record<string, string>> = {
  "video/webm": "audio/webm",
  "video/mp4": "audio/mp4",
  "audio/x-m4a": "audio/mp4",
  "audio/ogg; codecs=opus": "audio/ogg",
  "application/ogg": "audio/ogg",
};

/** Reads a file, and writes the files that are shown beside it. */
export default async function inspect(inspection: Inspection): Promise<Inspected | { readonly refused: string }> {
  try {
    await goLast();
    const { kind, contentType } = inspection;
    const found = await typeOf(inspection.path, contentType);
    if (found !== contentType)
      throw new Refusal(found ? `The content is ${found}, not ${contentType}.` : `The content isn't ${contentType}.`);
    if (kind === "image") return await inspectPicture(inspection);
    if (kind === "audio") return await inspectSound(inspection);
    return await keepAsIs(inspection, {});
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    return { refused: "The file is damaged, or of a form that we can't read." };
  }
}

/** Returns the content type of a file by its bytes. Formats without a mark of their own are tried. */
async function typeOf(path: string, declared: string): Promise<string | undefined> {
  if (declared === "text/plain") return (await isText(path)) ? declared : undefined;
  if (declared === "application/json") return (await isLottie(path)) ? declared : undefined;
  if (declared === "application/octet-stream") return (await isSvga(path)) ? declared : undefined;
  const mime = (await fileTypeFromFile(path))?.mime;
  return mime && (typeNames[mime] ?? mime);
}

async function isText(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  return !text.includes("\0");
}

async function isLottie(path: string): Promise<boolean> {
  const parsed = JSON.parse(await readFile(path, "utf8")) as { v?: unknown; layers?: unknown } | null;
  return typeof parsed?.v === "string" && Array.isArray(parsed.layers);
}

/** SVGA is a zlib stream, or in its first version a zip. */
async function isSvga(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x78 || buffer.toString("latin1") === "PK";
  } finally {
    await file.close();
  }
}

async function inspectPicture({ path, folder, sizes, animated }: Inspection): Promise<Inspected> {
  const options = { limitInputPixels: pixelsMax, failOn: "error", animated } as const;
  const { width, height } = await sharp(path, { ...options, limitInputPixels: false }).metadata();
  // Of a moving picture, `height` is that of all its frames together.
  if (width * height > pixelsMax) throw new Refusal("The picture has too many pixels.");

  const variants = [];
  for (const [name, edge] of Object.entries(sizes) as ["small" | "medium" | "large", number][]) {
    const draft = join(folder, name);
    const made = await sharp(path, options)
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .webp({ quality: 80, effort: 3 })
      .toFile(draft);
    variants.push({
      ...(await named(folder, draft, name, "webp")),
      width: made.width,
      height: made.pageHeight ?? made.height,
    });
  }
  const largest = variants.at(-1)!;
  const { data, info } = await sharp(join(folder, variants[0]!.file))
    .resize({ width: 32, height: 32, fit: "inside" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const blurhash = encode(new Uint8ClampedArray(data), info.width, info.height, 4, 3);
  return {
    content_type: "image/webp",
    bytes: largest.bytes,
    width: largest.width,
    height: largest.height,
    blurhash,
    duration_ms: null,
    variants,
  };
}

const codecs: ReadonlySet<string> = new Set(["opus", "aac", "mp3"]);

async function inspectSound(inspection: Inspection): Promise<Inspected> {
  using input = new Input({ formats: [ADTS, MP3, MP4, OGG, WEBM], source: new FilePathSource(inspection.path) });
  if (await input.getPrimaryVideoTrack()) throw new Refusal("This is a video.");
  const track = await input.getPrimaryAudioTrack();
  if (!track?.codec || !codecs.has(track.codec)) throw new Refusal("The sound must be Opus, AAC, or MP3.");
  const duration_ms = Math.round((await track.computeDuration()) * 1000);
  if (duration_ms === 0) throw new Refusal("The sound has no duration.");
  if (duration_ms > soundMsMax) throw new Refusal(`The sound is longer than ${soundMsMax / 1000} seconds.`);
  return keepAsIs(inspection, { duration_ms });
}

const endings: Readonly<Record<string, string>> = {
  "audio/ogg": "ogg",
  "audio/webm": "webm",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/mpeg": "mp3",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "text/plain": "txt",
  "application/json": "json",
};

async function keepAsIs({ path, folder, contentType }: Inspection, more: Partial<Inspected>): Promise<Inspected> {
  const variant = await named(folder, path, "original", endings[contentType] ?? "bin");
  return {
    content_type: contentType,
    bytes: variant.bytes,
    width: null,
    height: null,
    blurhash: null,
    duration_ms: null,
    ...more,
    variants: [{ ...variant, width: null, height: null }],
  };
}

/** Names a file by its content, so that it can be cached for ever. */
async function named<Name extends string>(folder: string, path: string, name: Name, ending: string) {
  const hash = createHash("sha256")
    .update(await readFile(path))
    .digest("hex")
    .slice(0, 16);
  const file = `${hash}-${name}.${ending}`;
  const { size: bytes } = await stat(path);
  await rename(path, join(folder, file));
  return { name, file, bytes };
}
