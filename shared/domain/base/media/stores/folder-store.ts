import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import { uploadKey } from "../media-keys.ts";
import { type Upload, uploadAddress } from "../signed-links.ts";
import type { MediaStore } from "./media-store.ts";

/** A store in a folder, which all processes must share. Clients send bytes to this service. */
export class FolderStore implements MediaStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  readonly #pathOf = (key: string): string => join(this.#folder, key);

  readonly uploadAt = async (upload: Upload) => ({
    url: uploadAddress(upload),
    headers: { "Content-Type": upload.contentType, "Content-Length": String(upload.bytes) },
  });

  readonly sizeOf = async (key: string) => (await stat(this.#pathOf(key)).catch(unlessAbsent))?.size;

  readonly read = async (key: string) => createReadStream(this.#pathOf(key));

  readonly put = (key: string, path: string) => this.#write(key, (draft) => copyFile(path, draft));

  readonly removeAll = (prefix: string) => rm(this.#pathOf(prefix), { recursive: true, force: true });

  readonly locate = async (key: string) => ({ path: this.#pathOf(key) });

  /**
   * Stores the bytes that a client sends. Nothing stays of a transfer that breaks off.
   * @returns false if what is stored of the medium was deleted meanwhile
   * @throws VALIDATION_ERROR if they are fewer or more than announced
   */
  async receive({ id, bytes }: Upload, body: Readable): Promise<boolean> {
    const write = async (draft: string) => {
      let received = 0;
      await pipeline(
        body,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            received += chunk.length;
            if (received > bytes) throw wrongLength(bytes);
            yield chunk;
          }
        },
        createWriteStream(draft, { flags: "wx" }),
      );
      if (received !== bytes) throw wrongLength(bytes);
    };
    const stored = await this.#write(uploadKey(id), write).then(() => true, unlessAbsent);
    return stored ?? false;
  }

  /** Writes beside the object, and moves it there once it is whole. */
  async #write(key: string, write: (draft: string) => Promise<void>): Promise<void> {
    const path = this.#pathOf(key);
    const draft = `${path}.${randomBytes(6).toString("hex")}.part`;
    await mkdir(dirname(path), { recursive: true });
    try {
      await write(draft);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}

const wrongLength = (bytes: number): DomainError =>
  new DomainError("VALIDATION_ERROR", "Send exactly {{bytes}} bytes.", { values: { bytes } });
