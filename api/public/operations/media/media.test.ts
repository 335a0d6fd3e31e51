import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "chai";
import sharp from "sharp";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureJudge } from "#shared/domain/base/filter/judge/judge.config.ts";
import { loadRules } from "#shared/domain/base/filter/rules.ts";
import { uploadKey } from "#shared/domain/base/media/media-keys.ts";
import { processMedia } from "#shared/domain/base/media/process-media.ts";
import { eraseMedia, pruneMedia, removeObjects } from "#shared/domain/base/media/remove-media.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import {
  complete,
  filesOf,
  makePicture,
  pathsIn,
  sendBytes,
  untilFiles,
  upload,
  uploadPicture,
} from "#shared/testing/media.ts";
import { mediaFolder, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("media", () => {
  const service = useService();
  const { call } = service;
  let ada: BuiltUser;
  let bob: BuiltUser;
  before(async () => {
    [ada, bob] = await Promise.all([buildUser(), buildUser()]);
  });
  const ask = async (method: string, path: string, body?: object, { token } = ada) => {
    const answer = await call(method, path, { token, body });
    return { status: answer.status, code: answer.body.error?.code, data: answer.body.data, error: answer.body.error };
  };
  const usesOf = async (id: string): Promise<number> =>
    (await query<{ uses: number }>("SELECT uses FROM media WHERE id = $1", [id]))[0]!.uses;

  it("makes a picture ready in three sizes, upright, without its metadata", async () => {
    const bytes = await sharp(await makePicture({ width: 1200, height: 800 }))
      .withExif({ IFD3: { GPSLatitude: "48/1 51/1 24/1" }, IFD0: { Orientation: "6", Artist: "marker-of-exif" } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { media, ...rest } = await upload(call, ada.token, bytes, { purpose: "cover" });
    expect(rest).to.include({ state: "ready", reason: null, purpose: "cover" });
    expect(media).to.include({
      kind: "image",
      content_type: "image/webp",
      width: 800,
      height: 1200,
      duration_ms: null,
    });
    expect(media!.variants.map(({ name, width, height }) => [name, width, height])).to.deep.equal([
      ["small", 213, 320],
      ["medium", 640, 960],
      ["large", 800, 1200],
    ]);
    expect(media!.blurhash).to.have.length.above(10);
    for (const { url, bytes: size } of media!.variants) {
      const file = await fetch(url);
      expect(file.status).to.equal(200);
      expect(file.headers.get("content-type")).to.equal("image/webp");
      expect(file.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(file.headers.get("cross-origin-resource-policy")).to.equal("cross-origin");
      const shown = Buffer.from(await file.arrayBuffer());
      expect(shown.length).to.equal(size);
      const { exif, orientation } = await sharp(shown).metadata();
      expect([exif, orientation]).to.deep.equal([undefined, undefined]);
      expect(shown.includes("marker-of-exif")).to.equal(false);
    }
    await untilFiles(rest.id, 3);
  });

  it("keeps the files of a picture that two processes make ready, and nothing of the original", async () => {
    const bytes = await makePicture();
    const { id } = await upload(call, ada.token, bytes, { purpose: "cover" });
    await untilFiles(id, 3);
    const files = await filesOf(id);
    const original = join(mediaFolder, uploadKey(id));
    const writeOriginal = async () => {
      await mkdir(dirname(original), { recursive: true });
      await writeFile(original, bytes);
    };
    await writeOriginal();
    await query("UPDATE media SET state = 'processing' WHERE id = $1", [id]);
    await Promise.all([processMedia(id), processMedia(id)]);
    expect((await ask("get", `/media/${id}`)).data.state).to.equal("ready");
    await untilFiles(id, 3);

    // As if a process had been killed before it deleted the original.
    await writeOriginal();
    await processMedia(id);
    expect(await filesOf(id)).to.deep.equal(files);
  });

  it("shows avatars, covers, and pictures of posts by their addresses, and counts what shows them", async () => {
    const avatar = await uploadPicture(service, ada, "avatar");
    const { data: me } = await ask("patch", "/users/me", { avatar_media_id: avatar.id });
    expect(me.avatar_url).to.match(new RegExp(`/media/${avatar.id}/[0-9a-f]{16}-medium\\.webp$`));
    expect((await fetch(me.avatar_url)).status).to.equal(200);
    expect((await ask("get", `/users/${ada.id}`, undefined, bob)).data.avatar_url).to.equal(me.avatar_url);
    expect(await usesOf(avatar.id)).to.equal(1);
    expect((await ask("delete", `/media/${avatar.id}`)).code).to.equal("CONFLICT");

    const next = await uploadPicture(service, ada, "avatar");
    await ask("patch", "/users/me", { avatar_media_id: next.id });
    expect([await usesOf(avatar.id), await usesOf(next.id)]).to.deep.equal([0, 1]);
    await ask("patch", "/users/me", { avatar_media_id: null });
    expect(await usesOf(next.id)).to.equal(0);

    const pictures = await Promise.all([1, 2, 3].map(() => uploadPicture(service, ada, "post")));
    const media_ids = pictures.map(({ id }) => id);
    const { data: post } = await ask("post", "/posts", { media_ids });
    expect(post.media.map(({ url }: { url: string }) => /media\/([^/]+)\//.exec(url)?.[1])).to.deep.equal(media_ids);
    expect(post.media[0]).to.include({ type: "image", width: 640, height: 480 });
    expect((await ask("get", `/posts/${post.id}`, undefined, bob)).data.media).to.deep.equal(post.media);
    for (const id of media_ids) expect(await usesOf(id)).to.equal(1);
    await query("DELETE FROM posts WHERE id = $1", [post.id]);
    for (const id of media_ids) expect(await usesOf(id)).to.equal(0);

    const cover = await uploadPicture(service, ada, "room_cover");
    const { data: room } = await ask("post", "/rooms", {
      name: "Owls",
      category: "music",
      language: "en",
      cover_media_id: cover.id,
    });
    expect(room.cover_url).to.contain(cover.id);
    const { data: bare } = await ask("patch", `/rooms/${room.id}`, { cover_media_id: null });
    expect(bare.cover_url).to.equal(null);
    const { data: covered } = await ask("patch", `/rooms/${room.id}`, { cover_media_id: cover.id });
    expect(covered.cover_url).to.equal(room.cover_url);
    expect(await usesOf(cover.id)).to.equal(1);
  });

  it("lets one use only what is theirs, ready, and for that purpose", async () => {
    const [avatar, post] = [await uploadPicture(service, ada, "avatar"), await uploadPicture(service, ada, "post")];
    const use = (id: string, user = ada) => ask("patch", "/users/me", { avatar_media_id: id }, user);
    expect((await use(avatar.id, bob)).code).to.equal("NOT_FOUND");
    expect((await use(post.id)).code).to.equal("NOT_FOUND");
    const { data: pending } = await ask("post", "/media", { purpose: "avatar", content_type: "image/png", bytes: 10 });
    expect((await use(pending.id)).code).to.equal("CONFLICT");
    expect((await ask("post", `/media/${pending.id}/complete`)).code).to.equal("CONFLICT");
    for (const path of [`/media/${avatar.id}`, `/media/${pending.id}`])
      for (const method of ["get", "delete"])
        expect((await ask(method, path, undefined, bob)).code).to.equal("NOT_FOUND");
    expect((await use(avatar.id)).status).to.equal(200);
  });

  it("hides private files from those who have no signed address", async () => {
    const { media } = await upload(call, ada.token, Buffer.from("A secret."), {
      purpose: "conversation",
      content_type: "text/plain",
      announce: { name: "secret.txt" },
    });
    expect(media).to.include({ kind: "file", name: "secret.txt", content_type: "text/plain" });
    const { url } = media!;
    const file = await fetch(url);
    expect([file.status, await file.text()]).to.deep.equal([200, "A secret."]);
    expect(file.headers.get("content-disposition")).to.equal("attachment");
    expect(file.headers.get("content-security-policy")).to.contain("sandbox");
    const other = (
      await upload(call, bob.token, Buffer.from("Another."), { purpose: "conversation", content_type: "text/plain" })
    ).media!;
    const [path, token] = url.split("?token=") as [string, string];
    const tokenOfOther = other.url.split("?token=")[1];
    for (const address of [
      path,
      `${path}?token=`,
      `${path}?token=${token.slice(0, -2)}`,
      `${path}?token=${tokenOfOther}`,
      path.replace("/private/media/", "/media/"),
      `${url}&token=x`.replace(token, "x"),
    ])
      expect((await fetch(address)).status, address).to.equal(404);
    await query("UPDATE media SET unused_since = now() - interval '2 days' WHERE id = $1", [media!.id]);
  });

  it("erases what nothing shows for a day, and everything of a user who leaves", async () => {
    const eve = await buildUser();
    const [kept, orphan] = [await uploadPicture(service, eve, "avatar"), await uploadPicture(service, eve, "avatar")];
    await ask("patch", "/users/me", { avatar_media_id: kept.id }, eve);
    await query("UPDATE media SET unused_since = unused_since - interval '25 hours' WHERE user_id = $1", [eve.id]);
    while ((await pruneMedia()) > 0);
    await untilFiles(orphan.id, 0);
    expect((await ask("get", `/media/${orphan.id}`, undefined, eve)).code).to.equal("NOT_FOUND");
    await untilFiles(kept.id, 3);
    expect((await fetch(orphan.media!.url)).status).to.equal(404);

    expect(await inTransaction((tx) => eraseMedia(tx, eve.id))).to.equal(1);
    await untilFiles(kept.id, 0);
    await removeObjects([kept.id]);
  });

  it("deletes an upload, whose bytes count for the day nevertheless", async () => {
    rememberSettings({ upload_megabytes_per_day: 1 });
    const eve = await buildUser();
    const bytes = await makePicture({ width: 800, height: 700 });
    const { id } = await upload(call, eve.token, bytes, { purpose: "post" });
    expect((await ask("delete", `/media/${id}`, undefined, eve)).status).to.equal(200);
    expect((await ask("get", `/media/${id}`, undefined, eve)).code).to.equal("NOT_FOUND");
    expect((await ask("delete", `/media/${id}`, undefined, eve)).code).to.equal("NOT_FOUND");
    await untilFiles(id, 0);
    const more = { purpose: "post", content_type: "image/jpeg", bytes: 1_048_577 - bytes.length };
    const refused = await Promise.all(Array.from({ length: 10 }, () => ask("post", "/media", more, eve)));
    expect(refused.every(({ code }) => code === "RATE_LIMITED")).to.equal(true);
    const half = { ...more, bytes: Math.floor((1_048_576 - bytes.length) / 2) };
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask("post", "/media", half, eve)));
    expect(outcomes.filter(({ status }) => status === 201)).to.have.length(2);
    rememberSettings({ upload_megabytes_per_day: 200 });
  });

  it("lets a user have twenty uploads that wait for their bytes, or to be read", async () => {
    const eve = await buildUser();
    const body = { purpose: "post", content_type: "image/jpeg", bytes: 10 };
    const announced = await Promise.all(Array.from({ length: 25 }, () => ask("post", "/media", body, eve)));
    expect(announced.filter(({ status }) => status === 201)).to.have.length(20);
    for (const [state, code] of [
      ["processing", "RATE_LIMITED"],
      ["rejected", undefined],
    ] as const) {
      await query("UPDATE media SET state = $2 WHERE user_id = $1", [eve.id, state]);
      expect((await ask("post", "/media", body, eve)).code, state).to.equal(code);
    }
  });

  it("takes only addresses of its own when the setting says so", async () => {
    rememberSettings({ foreign_addresses_allowed: false });
    try {
      const foreign = "https://cdn.example.com/a.png";
      expect((await ask("patch", "/users/me", { avatar_url: foreign })).code).to.equal("VALIDATION_ERROR");
      expect((await ask("post", "/posts", { media: [{ url: foreign, type: "image" }] })).code).to.equal(
        "VALIDATION_ERROR",
      );
      const { media } = await uploadPicture(service, ada, "post");
      const own = await ask("post", "/posts", { media: [{ url: media!.url, type: "image" }] });
      expect(own.status).to.equal(201);
    } finally {
      rememberSettings({ foreign_addresses_allowed: true });
    }
  });

  it("tells the owner when a slow upload is ready, and answers a repeated completion", async () => {
    const { id } = await sendBytes(call, ada.token, await makePicture(), { purpose: "avatar" });
    const answers = await Promise.all(Array.from({ length: 5 }, () => complete(call, ada.token, id)));
    const states = new Set(answers.map(({ state }) => state));
    expect([...states]).to.deep.equal(["ready"]);
  });

  it("keeps voice notes of what recorders make, with their duration and waveform", async () => {
    const note = (bytes: Buffer, content_type: string, more: object = {}) =>
      upload(call, ada.token, bytes, { purpose: "room_message", content_type, announce: more });
    const waveform = [0, 40, 100, 20];
    const mp3 = await note(mp3Of(100), "audio/mpeg", { waveform });
    expect(mp3.media).to.deep.include({
      kind: "audio",
      content_type: "audio/mpeg",
      width: null,
      blurhash: null,
      waveform,
    });
    expect(mp3.media!.duration_ms).to.be.within(2550, 2660);
    const heard = await fetch(mp3.media!.url);
    expect(heard.headers.get("content-type")).to.equal("audio/mpeg");
    expect(Buffer.from(await heard.arrayBuffer()).equals(mp3Of(100))).to.equal(true);
    const aac = await note(adtsOf(100), "audio/aac");
    expect(aac.media!.duration_ms).to.be.within(2200, 2400);
    expect(aac.media!.waveform).to.equal(null);

    const long = await note(mp3Of(12_000), "audio/mpeg");
    expect(long).to.include({ state: "rejected", reason: "The sound is longer than 300 seconds." });
    expect(await note(await makePicture(), "audio/mpeg")).to.include({ state: "rejected" });
    expect(await note(mp3Of(100), "audio/ogg")).to.include({ state: "rejected" });
  });

  describe("a rule about labels", () => {
    after(async () => {
      rememberSettings({ judge_failure: "hold" });
      configureJudge(undefined);
      await query("DELETE FROM rules WHERE name = 'Markers'");
      await loadRules();
    });

    it("shows nothing that it refuses by what the judge says of it", async () => {
      const seen: string[] = [];
      const heard: string[] = [];
      const rule = { kind: "labels", labels: ["marker"], percent: 80 };
      const action = { kind: "block", text: "The picture shows a marker." };
      const scope = JSON.stringify({ kind: "service" });
      const values = [newId(), "Markers", scope, JSON.stringify(rule), JSON.stringify(action)];
      await query("INSERT INTO rules (id, name, scope, trigger, action) VALUES ($1, $2, $3, $4, $5)", values);
      await loadRules();
      let answer: () => Promise<Record<string, number>> = async () => ({ marker: 0.9 });
      configureJudge(async (asked) => {
        if (asked.kind === "picture") seen.push((await sharp(Buffer.from(asked.data, "base64")).metadata()).format);
        if (asked.kind === "audio") heard.push(`audio ${asked.content_type} ${asked.purpose}`);
        return answer();
      });
      const sent = async () => upload(call, ada.token, await makePicture(), { purpose: "avatar" });
      const refused = await sent();
      expect(refused).to.include({ state: "rejected", media: null, reason: "The picture shows a marker." });
      expect(seen).to.deep.equal(["webp"]);
      await untilFiles(refused.id, 0);
      const [row] = await query("SELECT rule_id, rule_version FROM media WHERE id = $1", [refused.id]);
      expect(row).to.deep.equal({ rule_id: values[0], rule_version: 1 });
      const note = async () =>
        upload(call, ada.token, mp3Of(100), { purpose: "room_message", content_type: "audio/mpeg" });
      expect(await note()).to.include({ state: "rejected", reason: "The picture shows a marker." });
      expect(heard).to.deep.equal(["audio audio/mpeg room_message"]);
      answer = async () => ({ marker: 0.2, other: 1 });
      expect(await note()).to.include({ state: "ready" });
      expect(await sent()).to.include({ state: "ready" });
      answer = () => Promise.reject(new Error("away"));
      expect((await sent()).state).to.equal("rejected");
      expect((await note()).reason).to.equal("The sound can't be checked now. Please try again later.");
      rememberSettings({ judge_failure: "allow" });
      expect((await note()).state).to.equal("ready");
      expect((await sent()).state).to.equal("ready");
    });
  });

  describe("hostile files", () => {
    const join3 = (one: Buffer, other: string) => Buffer.concat([one, Buffer.from(other)]);

    it("are rejected with a reason, shown to no one, and nothing of them stays on disk", async function () {
      this.timeout(120_000);
      const [jpeg, png, webp, gif] = await Promise.all(
        (["jpeg", "png", "webp", "gif"] as const).map((type) => makePicture({ width: 64, height: 64, type })),
      );
      const bomb = hugePng(50_000, 50_000);
      const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
      const html = Buffer.from("<!doctype html><script>alert(1)</script>");
      const cases: [name: string, bytes: Buffer, type: string][] = [
        ["a bomb", bomb, "image/png"],
        ["a bomb on one side", hugePng(65_000, 700), "image/png"],
        ["a script as a picture", html, "image/png"],
        ["SVG as PNG", svg, "image/png"],
        ["ELF", Buffer.from("7f454c4602010100", "hex"), "image/webp"],
        ["a zip", Buffer.from("504b0304140000000000", "hex"), "image/jpeg"],
      ];
      const types = { "image/jpeg": jpeg!, "image/png": png!, "image/webp": webp!, "image/gif": gif! };
      for (const [type, bytes] of Object.entries(types)) {
        for (const other of Object.keys(types)) if (other !== type) cases.push([`${type} as ${other}`, bytes, other]);
        for (let part = 1; part < 20; part += 1)
          cases.push([`${part}/20 of ${type}`, bytes.subarray(0, Math.ceil((bytes.length * part) / 20)), type]);
        for (let seed = 0; seed < 25; seed += 1) {
          const head = Buffer.from(bytes.subarray(0, 12));
          cases.push([`noise after the mark of ${type}`, Buffer.concat([head, noise(seed, 4000)]), type]);
        }
      }
      for (let seed = 0; seed < 120; seed += 1) cases.push(["noise", noise(seed, 1 + seed * 97), "image/jpeg"]);
      const eve = await buildUser();
      await query("UPDATE users SET created_at = created_at WHERE id = $1", [eve.id]);
      const started = process.memoryUsage().rss;
      const rejected: string[] = [];
      for (const [name, bytes, content_type] of cases) {
        const media = await upload(call, eve.token, bytes, { purpose: "post", content_type });
        // Decoders may make something of a picture that ends early.
        if (media.state === "ready") {
          expect(name).to.match(/ of image/);
          continue;
        }
        expect(media, name).to.include({ state: "rejected", media: null });
        expect(media.reason, name).to.match(/^(The|This) .+\.$/);
        rejected.push(media.id);
      }
      expect(rejected.length).to.be.above(300);
      await until("nothing of them is left", async () => {
        const left = await pathsIn(mediaFolder);
        return rejected.every((id) => !left.some((path) => path.includes(id)));
      });
      expect(process.memoryUsage().rss).to.be.below(started * 1.5);
    });

    it("that carry other content lose it", async () => {
      const carrier = join3(await makePicture({ width: 64, height: 64 }), "<script>marker-of-polyglot</script>");
      const { media } = await upload(call, ada.token, carrier, { purpose: "post" });
      for (const { url } of media!.variants) {
        const shown = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect(shown.includes("marker-of-polyglot")).to.equal(false);
      }
    });

    it("are refused before they are stored if they aren't as announced", async () => {
      const picture = await makePicture({ width: 64, height: 64 });
      const announce = async (more: object = {}) =>
        (await ask("post", "/media", { purpose: "post", content_type: "image/jpeg", bytes: picture.length, ...more }))
          .data;
      const put = async (url: string, body: Buffer, headers: Record<string, string> = {}) =>
        (
          await fetch(url, {
            method: "PUT",
            body: new Uint8Array(body),
            headers: { "content-type": "image/jpeg", ...headers },
          })
        ).status;
      const { id, upload: to } = await announce();
      expect(await put(to.url, picture.subarray(1))).to.equal(400);
      expect(await put(to.url, join3(picture, "x"))).to.equal(400);
      expect(await put(to.url, picture, { "content-type": "image/png" })).to.equal(400);
      expect(await put(`${to.url.slice(0, -2)}xx`, picture)).to.equal(404);
      expect(await put(to.url.replace(/[^/]+$/, ada.token), picture)).to.equal(404);
      expect(await put(to.url.replace(/\/uploads\/.+/, "/uploads/..%2f..%2fx"), picture)).to.equal(404);
      expect(await filesOf(id)).to.deep.equal([]);
      expect(await put(to.url, picture)).to.equal(204);

      const hashed = await announce({ sha256: "0".repeat(64) });
      expect(await put(hashed.upload.url, picture)).to.equal(204);
      expect(await complete(call, ada.token, hashed.id)).to.include({
        state: "rejected",
        reason: "The bytes have another SHA-256 than announced.",
      });

      await complete(call, ada.token, id);
      for (const [late, url] of [
        [id, to.url],
        [hashed.id, hashed.upload.url],
      ]) {
        expect(await put(url, picture)).to.equal(404);
        await untilFiles(late, late === id ? 3 : 0);
      }
    });

    it("are refused at their announcement if the purpose doesn't take them", async () => {
      const announce = async (more: object) =>
        (await ask("post", "/media", { purpose: "avatar", content_type: "image/png", bytes: 100, ...more })).code;
      expect(await announce({ content_type: "image/svg+xml" })).to.equal("VALIDATION_ERROR");
      expect(await announce({ content_type: "application/pdf" })).to.equal("VALIDATION_ERROR");
      expect(await announce({ content_type: "audio/ogg" })).to.equal("VALIDATION_ERROR");
      expect(await announce({ bytes: 5 * 1_048_576 + 1 })).to.equal("VALIDATION_ERROR");
      expect(await announce({ bytes: 0 })).to.equal("VALIDATION_ERROR");
      expect(await announce({ purpose: "gift" })).to.equal("VALIDATION_ERROR");
      expect(await announce({ name: "../../etc/passwd\u0000" })).to.equal("VALIDATION_ERROR");
    });

    it("can't be read by names with paths, and ranges are answered", async () => {
      const { media } = await uploadPicture(service, ada, "avatar");
      const { url } = media!;
      const file = url.slice(url.lastIndexOf("/") + 1);
      for (const name of [
        "..%2f..%2fhubbub.json",
        "%2e%2e",
        `.${file}`,
        `${file}%00`,
        `${file}.part`,
        "x",
        `${file}/x`,
      ])
        expect((await fetch(url.replace(file, name))).status, name).to.equal(404);
      const part = await fetch(url, { headers: { range: "bytes=0-9" } });
      expect([part.status, (await part.arrayBuffer()).byteLength]).to.deep.equal([206, 10]);
      const beyond = await fetch(url, { headers: { range: "bytes=99999999-" } });
      expect(beyond.status).to.equal(416);
    });
  });
});

const noise = (seed: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0, state = seed + 1; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 16;
  }
  return bytes;
};

/** Returns the beginning of a PNG that says it is so large. */
function hugePng(width: number, height: number): Buffer {
  const head = Buffer.from(
    "89504e470d0a1a0a0000000d49484452000000000000000008020000000000000000000049454e44ae426082",
    "hex",
  );
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

/** Returns an MP3 of so many silent frames: MPEG 1, layer 3, 128 kbit/s, 44,100 Hz, 26 ms each. */
const mp3Of = (frames: number): Buffer => {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};

/** Returns AAC of so many frames with ADTS headers: 44,100 Hz, mono, 23 ms each. */
const adtsOf = (frames: number): Buffer => {
  const length = 64;
  const frame = Buffer.alloc(length);
  frame.set([0xff, 0xf1, 0x50, 0x40 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};
