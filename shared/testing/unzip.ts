import { text } from "node:stream/consumers";
import { fromBufferPromise } from "yauzl";

/** Returns the files of a zip by their names, as text. */
export async function unzip(zip: Buffer): Promise<Map<string, string>> {
  const opened = await fromBufferPromise(zip, { lazyEntries: true });
  const files = new Map<string, string>();
  for await (const entry of opened.eachEntry())
    files.set(entry.fileName, await text(await opened.openReadStreamPromise(entry)));
  return files;
}
