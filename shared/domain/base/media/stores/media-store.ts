import type { Readable } from "node:stream";
import type { Upload } from "../signed-links.ts";

/** Where the bytes of media are: a folder, or an S3-compatible store. Keys are those of `media-keys.ts`. */
export interface MediaStore {
  /** Where browsers send and read bytes, unless that is this service. */
  readonly origin?: string;
  /** Returns where a client sends the bytes of an upload, and the headers that it must send with them. */
  readonly uploadAt: (
    upload: Upload,
  ) => Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  /** Returns the size of an object, or undefined if there is none. */
  readonly sizeOf: (key: string) => Promise<number | undefined>;
  /** Reads an object that is there. */
  readonly read: (key: string) => Promise<Readable>;
  /** Stores a file. One that is there is replaced. */
  readonly put: (key: string, path: string, contentType: string) => Promise<void>;
  /** Deletes all objects whose keys begin so. */
  readonly removeAll: (prefix: string) => Promise<void>;
  /** Returns where an object is read: a file, or an address that works for some minutes. */
  readonly locate: (key: string) => Promise<{ readonly path: string } | { readonly url: string }>;
}
