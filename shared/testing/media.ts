import { readdir } from "node:fs/promises";
import { expect } from "chai";
import sharp from "sharp";
import type { Media, MediaPurpose } from "#shared/contracts/views.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import { type ApiClient, mediaFolder } from "./service.ts";
import { until } from "./until.ts";

/** Returns a picture that no compression makes small. */
export const makePicture = ({
  width = 640,
  height = 480,
  type = "jpeg" as "jpeg" | "png" | "webp" | "gif" | "avif",
} = {}): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: "#336699", noise: { type: "gaussian", mean: 128, sigma: 40 } },
  })
    .toFormat(type)
    .toBuffer();

/** Returns the paths of all files in a folder, whatever is deleted meanwhile. */
export async function pathsIn(folder: string): Promise<string[]> {
  for (;;) {
    const paths = await readdir(folder, { recursive: true }).catch(unlessAbsent);
    if (paths) return paths;
  }
}

/** Returns the files that are stored of a medium. */
export async function filesOf(id: string): Promise<string[]> {
  const all = await pathsIn(mediaFolder);
  return all.filter((path) => path.includes(id) && /\.\w+$|\/original$/.test(path)).sort();
}

/** Waits until as many files are stored of a medium: a job deletes what is no longer needed. */
export const untilFiles = (id: string, count: number): Promise<void> =>
  until(`${count} of its files are left`, async () => (await filesOf(id)).length === count);

interface Uploading {
  readonly purpose: MediaPurpose;
  readonly content_type?: string;
  /** Members of the announcement that differ from what is sent. */
  readonly announce?: object;
}

/** Announces an upload, and sends its bytes to where it is told. Returns the ID, and the status of the store. */
export async function sendBytes(
  call: ApiClient,
  token: string,
  bytes: Buffer,
  { purpose, content_type = "image/jpeg", announce }: Uploading,
): Promise<{ id: string; status: number }> {
  const body = { purpose, content_type, bytes: bytes.length, ...announce };
  const announced = await call("post", "/media", { token, body });
  expect(announced.status, JSON.stringify(announced.body)).to.equal(201);
  const { id, upload } = announced.body.data;
  const sent = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: new Uint8Array(bytes) });
  return { id, status: sent.status };
}

/** Completes an upload as clients do: again while it is being read. Returns it ready, or rejected. */
export async function complete(call: ApiClient, token: string, id: string): Promise<Media> {
  for (;;) {
    const begunMs = performance.now();
    const { body } = await call("post", `/media/${id}/complete`, { token });
    expect(body.success, JSON.stringify(body)).to.equal(true);
    if (body.data.state !== "processing") return body.data;
    // A call waits; on a busy machine, 8 seconds may be too few.
    expect(performance.now() - begunMs).to.be.at.least(7900);
  }
}

/** Uploads a file as clients do. Returns it as it is after that: ready, or rejected. */
export async function upload(call: ApiClient, token: string, bytes: Buffer, uploading: Uploading): Promise<Media> {
  const { id, status } = await sendBytes(call, token, bytes, uploading);
  expect(status).to.be.oneOf([200, 204]);
  return complete(call, token, id);
}

/** Uploads a picture that can be used. */
export async function uploadPicture(
  { call }: { readonly call: ApiClient },
  { token }: { readonly token: string },
  purpose: MediaPurpose,
): Promise<Media> {
  const media = await upload(call, token, await makePicture(), { purpose });
  expect(media).to.include({ state: "ready", reason: null });
  return media;
}
