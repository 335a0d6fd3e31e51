import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";

const run = promisify(execFile);

/** In the public domain: translations of the Bible as modules of SWORD. */
const bibles = [
  ["en", "sword-text-web", "engWEB2015eb"],
  ["es", "sword-text-sparv", "spaRV1909eb"],
] as const;
/** Free (MPL 2.0): Debian has nothing in the public domain in these. The messages of LibreOffice, as they are shown. */
const messages = [
  ["ar", "libreoffice-l10n-ar", "ar"],
  ["hi", "libreoffice-l10n-hi", "hi"],
  ["id", "libreoffice-l10n-id", "id"],
  ["pt", "libreoffice-l10n-pt-br", "pt_BR"],
] as const;

/** Words of the shortest sentence. */
const wordsMin = 4;
const isSentence = (text: string): boolean => text.split(/\s+/).length >= wordsMin;

export interface CleanCorpus {
  readonly name: string;
  readonly sentences: ReadonlyMap<string, readonly string[]>;
}

/** Fetches clean sentences in six languages from Debian's packages, which aren't installed: so many in all. */
export async function fetchCleanCorpus(count: number): Promise<CleanCorpus> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-corpus-"));
  try {
    const names = [...bibles, ...messages].map(([, name]) => name);
    await run("apt-get", ["download", "-q", ...names], { cwd: folder });
    for (const file of await readdir(folder)) await run("dpkg-deb", ["-x", join(folder, file), join(folder, "all")]);
    const sentences = new Map<string, readonly string[]>();
    for (const [language, , name] of messages)
      sentences.set(language, await readMessages(join(folder, "all/usr/lib/libreoffice/program/resource", name)));
    const missing = count - [...sentences.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [language, , name] of bibles) {
      const verses = await readVerses(join(folder, "all/usr/share/sword/modules/texts/ztext", name));
      sentences.set(language, verses.slice(0, Math.max(0, Math.ceil(missing / bibles.length))));
    }
    return { name: "World English Bible, Reina-Valera 1909, messages of LibreOffice", sentences };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the translated messages of a folder of gettext. */
async function readMessages(folder: string): Promise<string[]> {
  const found = new Set<string>();
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".mo"));
  for (const file of files) {
    const bytes = await readFile(join(folder, file));
    const [count, originals, translations] = [8, 12, 16].map((at) => bytes.readUInt32LE(at)) as [
      number,
      number,
      number,
    ];
    for (let index = 0; index < count; index += 1) {
      const original = textAt(bytes, originals + 8 * index);
      for (const text of textAt(bytes, translations + 8 * index).split("\0"))
        if (original !== "" && text !== original && isSentence(text)) found.add(text);
    }
  }
  return [...found];
}

/** Returns a text of gettext by its place in a table. */
const textAt = (bytes: Buffer, table: number): string => {
  const at = bytes.readUInt32LE(table + 4);
  return bytes.toString("utf8", at, at + bytes.readUInt32LE(table));
};

/** Reads the verses of a compressed text of SWORD: blocks, and where each verse is in its block. */
async function readVerses(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const testament of ["ot", "nt"]) {
    const [blocks, verses, data] = (await Promise.all(
      ["bzs", "bzv", "bzz"].map((ending) => readFile(join(folder, `${testament}.${ending}`))),
    )) as [Buffer, Buffer, Buffer];
    const texts = Array.from({ length: blocks.length / 12 }, (_, index) => {
      const at = blocks.readUInt32LE(12 * index);
      return inflateSync(data.subarray(at, at + blocks.readUInt32LE(12 * index + 4)));
    });
    for (let at = 0; at < verses.length; at += 10) {
      const begin = verses.readUInt32LE(at + 4);
      const verse = texts[verses.readUInt32LE(at)]?.toString("utf8", begin, begin + verses.readUInt16LE(at + 8)) ?? "";
      const text = verse
        .replace(/<note.*?<\/note>|<title.*?<\/title>|<[^>]*>/gs, " ")
        .replace(/\s+/g, " ")
        .trim();
      if (isSentence(text)) found.push(text);
    }
  }
  return found;
}
