import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { configureMedia } from "#shared/domain/base/media/media.config.ts";
import { fileKey, uploadKey } from "#shared/domain/base/media/media-keys.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { type FakeS3, startFakeS3 } from "#shared/testing/fakes/s3.ts";
import { complete, makePicture, sendBytes, upload } from "#shared/testing/media.ts";
import { testMedia, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { S3Store } from "./s3-store.ts";

describe("media in a bucket", () => {
  const service = useService();
  let s3: FakeS3;
  let store: S3Store;
  let folder: string;
  let ada: BuiltUser;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "s3-test-"));
    s3 = await startFakeS3();
    store = new S3Store(s3.access);
    ada = await buildUser();
  });
  after(async () => {
    await s3.stop();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => configureMedia({ ...testMedia, store }));
  afterEach(() => configureMedia(testMedia));

  it("stores, reads, and deletes objects by their prefix", async () => {
    const [id, other] = [newId(), newId()];
    const path = join(folder, "file");
    await writeFile(path, "some bytes");
    const keys = [fileKey(id, "0123456789abcdef-small.webp", false), fileKey(id, "0123456789abcdef-large.webp", false)];
    for (const key of keys) await store.put(key, path, "image/webp");
    const kept = fileKey(other, "0123456789abcdef-small.webp", false);
    await store.put(kept, path, "image/webp");
    expect(await store.sizeOf(keys[0]!)).to.equal(10);
    expect(await text(await store.read(keys[1]!))).to.equal("some bytes");
    await store.removeAll(`media/${id}/`);
    expect(await Promise.all([...keys, kept].map((key) => store.sizeOf(key)))).to.deep.equal([
      undefined,
      undefined,
      10,
    ]);
    await store.removeAll(`media/${id}/`);
    const gone = await store.read(keys[0]!).then(
      () => "read",
      () => "failed",
    );
    expect(gone).to.equal("failed");
    const { url } = (await store.locate(kept)) as { url: string };
    const read = await fetch(url);
    expect([read.status, await read.text(), read.headers.get("content-type")]).to.deep.equal([
      200,
      "some bytes",
      "image/webp",
    ]);
    expect((await fetch(url.replace(/.$/, (last) => (last === "0" ? "1" : "0")))).status).to.equal(403);
    expect((await fetch(url.replace(other, id))).status).to.equal(403);
  });

  it("lets clients send exactly what was announced, and shows it", async () => {
    const bytes = await makePicture();
    const { state, media } = await upload(service.call, ada.token, bytes, { purpose: "avatar" });
    expect(state).to.equal("ready");
    for (const { url, bytes: size } of media!.variants) {
      const file = await fetch(url);
      expect(new URL(file.url).host).to.equal(new URL(s3.access.url).host);
      expect([file.status, (await file.arrayBuffer()).byteLength]).to.deep.equal([200, size]);
    }
    await until("the original is gone", async () => (await store.sizeOf(uploadKey(media!.id))) === undefined);

    const { body } = await service.call("post", "/media", {
      token: ada.token,
      body: { purpose: "avatar", content_type: "image/jpeg", bytes: bytes.length },
    });
    const { id, upload: to } = body.data;
    const put = async (sent: Buffer, headers: object = {}) =>
      (await fetch(to.url, { method: "PUT", headers: { ...to.headers, ...headers }, body: new Uint8Array(sent) }))
        .status;
    expect(await put(bytes, { "Content-Type": "text/html" })).to.equal(403);
    expect(await put(bytes.subarray(1), { "Content-Length": String(bytes.length - 1) })).to.equal(403);
    expect((await fetch(to.url)).status).to.equal(403);
    expect(await store.sizeOf(uploadKey(id))).to.equal(undefined);
    expect(await put(bytes)).to.equal(200);
    expect((await fetch(to.url.replace(/\/uploads\/.*/, "/uploads/x"))).status).to.equal(403);
  });

  it("hides private files from those without a signed address, and erases what was rejected", async () => {
    const { media } = await upload(service.call, ada.token, Buffer.from("A secret."), {
      purpose: "conversation",
      content_type: "text/plain",
    });
    expect(await (await fetch(media!.url)).text()).to.equal("A secret.");
    expect((await fetch(media!.url.replace(/\?.*/, ""))).status).to.equal(404);
    expect((await fetch(`${s3.access.url}/${uploadKey(media!.id)}`)).status).to.be.oneOf([403, 404]);

    const { id } = await sendBytes(service.call, ada.token, Buffer.from("<svg/>"), {
      purpose: "avatar",
      content_type: "image/png",
    });
    expect(await store.sizeOf(uploadKey(id))).to.equal(6);
    expect((await complete(service.call, ada.token, id)).state).to.equal("rejected");
    await until("it is gone", async () => (await store.sizeOf(uploadKey(id))) === undefined);
  });

  it("keeps nothing that is sent again once an upload is ready, or deleted", async () => {
    const bytes = await makePicture();
    const sizeOf = (id: string) => store.sizeOf(uploadKey(id));
    const sentAgain = async (end: (id: string) => Promise<unknown>) => {
      const body = { purpose: "avatar", content_type: "image/jpeg", bytes: bytes.length };
      const { id, upload: to } = (await service.call("post", "/media", { token: ada.token, body })).body.data;
      const put = () => fetch(to.url, { method: "PUT", headers: to.headers, body: new Uint8Array(bytes) });
      await put();
      await end(id);
      await until("the original is gone", async () => (await sizeOf(id)) === undefined);
      expect((await put()).status).to.equal(200);
      expect(await sizeOf(id)).to.equal(bytes.length);
      return id;
    };
    const ready = await sentAgain((id) => complete(service.call, ada.token, id));
    const deleted = await sentAgain((id) => service.call("delete", `/media/${id}`, { token: ada.token }));

    await query("UPDATE pgboss.job SET start_after = now() WHERE name = 'media.remove_objects'");
    for (const id of [ready, deleted])
      await until("what was sent again is gone", async () => (await sizeOf(id)) === undefined);
    const { data } = (await service.call("get", `/media/${ready}`, { token: ada.token })).body;
    for (const { url } of data.media.variants) expect((await fetch(url)).status).to.equal(200);
  });

  it("tries again while the store fails", async () => {
    const path = join(folder, "file");
    await writeFile(path, "some bytes");
    const failures = s3.failNext(2);
    await store.put(fileKey(newId(), "0123456789abcdef-small.webp", false), path, "image/webp");
    expect(failures()).to.equal(0);
    expect(await readFile(path, "utf8")).to.equal("some bytes");
  });
});
