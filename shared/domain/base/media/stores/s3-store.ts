import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { AwsClient, AwsV4Signer } from "aws4fetch";
import { clock } from "#shared/kernel/clock.ts";
import { uploadKey } from "../media-keys.ts";
import type { Upload } from "../signed-links.ts";
import type { MediaStore } from "./media-store.ts";

/** An S3-compatible store. */
export interface S3Access {
  /** The address of the bucket: `https://s3.example.com/bucket` or `https://bucket.s3.example.com`. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** How long the store is waited for, milliseconds. */
const [answerMs, transferMs] = [10_000, 60_000];
const readingSeconds = 300;

/** A store in a bucket. Clients send and read bytes there, by addresses that this service signs. */
export class S3Store implements MediaStore {
  readonly origin: string;
  readonly #access: S3Access;
  readonly #client: AwsClient;

  constructor(access: S3Access) {
    this.#access = access;
    this.origin = new URL(access.url).origin;
    this.#client = new AwsClient({ ...access, service: "s3", retries: 2 });
  }

  readonly #urlOf = (key: string): string => `${this.#access.url}/${key}`;

  async #presign(method: string, key: string, seconds: number, headers: Record<string, string> = {}): Promise<string> {
    const url = new URL(this.#urlOf(key));
    url.searchParams.set("X-Amz-Expires", String(seconds));
    // All headers: the store refuses another type or length than was announced.
    const signer = new AwsV4Signer({
      ...this.#access,
      url: url.href,
      method,
      headers,
      service: "s3",
      signQuery: true,
      allHeaders: true,
    });
    return (await signer.sign()).url.href;
  }

  async #fetch(key: string, init: RequestInit, limitMs = answerMs): Promise<Response> {
    const response = await this.#client.fetch(this.#urlOf(key), { ...init, signal: AbortSignal.timeout(limitMs) });
    if (!response.ok && response.status !== 404) throw new Error(`the store of media answered ${response.status}`);
    return response;
  }

  readonly uploadAt = async ({ id, contentType, bytes, expiresAt }: Upload) => {
    const headers = { "Content-Type": contentType, "Content-Length": String(bytes) };
    const seconds = Math.max(1, Math.floor((expiresAt - clock.now()) / 1000));
    return { url: await this.#presign("PUT", uploadKey(id), seconds, headers), headers };
  };

  readonly sizeOf = async (key: string) => {
    const { ok, headers } = await this.#fetch(key, { method: "HEAD" });
    return ok ? Number(headers.get("content-length")) : undefined;
  };

  readonly read = async (key: string) => {
    const { ok, body } = await this.#fetch(key, {}, transferMs);
    if (!ok || !body) throw new Error("the object is gone");
    return Readable.fromWeb(body as ReadableStream);
  };

  readonly put = async (key: string, path: string, contentType: string) => {
    const body = await readFile(path);
    const headers = { "Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable" };
    await this.#fetch(key, { method: "PUT", headers, body }, transferMs);
  };

  readonly removeAll = async (prefix: string) => {
    const list = await this.#fetch(`?list-type=2&prefix=${encodeURIComponent(prefix)}`, {});
    const keys = [...(await list.text()).matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => key!);
    await Promise.all(keys.map((key) => this.#fetch(key, { method: "DELETE" })));
  };

  readonly locate = async (key: string) => ({ url: await this.#presign("GET", key, readingSeconds) });
}
