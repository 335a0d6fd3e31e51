import { readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { MediaState } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { onSignal } from "#shared/db/signals.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { childrenOf } from "#shared/testing/kill-hard.ts";
import { complete, makePicture, sendBytes, untilFiles, uploadPicture } from "#shared/testing/media.ts";
import { testMedia, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { configureMedia } from "./media.config.ts";
import { processMedia, stopReadingMedia } from "./process-media.ts";

describe("the reading of uploads", () => {
  const service = useService();
  const realTimeout = AbortSignal.timeout;
  let ada: BuiltUser;
  let bytes: Buffer;
  before(async () => {
    ada = await buildUser();
    // What follows a picture is ignored. No other test that runs at this time sends so many bytes.
    bytes = Buffer.concat([await makePicture({ width: 64, height: 64 }), Buffer.alloc(123_457)]);
  });
  afterEach(() => {
    configureMedia(testMedia);
    AbortSignal.timeout = realTimeout;
  });

  /** Sends a picture of which no job knows. */
  async function sent({ attempts = 0 } = {}): Promise<string> {
    const { id } = await sendBytes(service.call, ada.token, bytes, { purpose: "post" });
    await query("UPDATE media SET state = 'processing', attempts = $2 WHERE id = $1", [id, attempts]);
    return id;
  }
  const outcomeOf = (id: string) =>
    queryOne<{ state: MediaState; reason: string | null }>("SELECT state, reason FROM media WHERE id = $1", [id]);

  /** Returns the IDs of the processes that read: one, or none. */
  async function readers(): Promise<number[]> {
    const found: number[] = [];
    for (const pid of await childrenOf(process.pid))
      if ((await readFile(`/proc/${pid}/cmdline`, "utf8").catch(unlessAbsent))?.includes("tinypool")) found.push(pid);
    return found;
  }

  /** Returns the ID of the process that reads, which does nothing until it is told to go on, or ends. */
  async function stoppedReader(by = ada): Promise<number> {
    await uploadPicture(service, by, "post");
    const [pid] = await readers();
    process.kill(pid!, "SIGSTOP");
    return pid!;
  }

  /** Has the store take no file for so many tries. */
  function failStore(tries: number): void {
    let left = tries;
    const put: typeof testMedia.store.put = async (...file) => {
      left -= 1;
      if (left >= 0) throw new Error("ENOSPC: no space left on device");
      await testMedia.store.put(...file);
    };
    const { uploadAt, sizeOf, read, removeAll, locate } = testMedia.store;
    configureMedia({ ...testMedia, store: { uploadAt, sizeOf, read, put, removeAll, locate } });
  }

  it("goes on after an outage of the store", async () => {
    const id = await sent();
    failStore(6);
    for (let nth = 0; nth < 6; nth += 1) {
      const error = await processMedia(id).catch(String);
      expect([error, (await outcomeOf(id))!.state]).to.deep.equal([
        "Error: ENOSPC: no space left on device",
        "processing",
      ]);
    }
    await processMedia(id);
    expect(await outcomeOf(id)).to.deep.equal({ state: "ready", reason: null });
    await untilFiles(id, 3);
  });

  it("ends if the store stays away, and doesn't say that the file is bad", async () => {
    const id = await sent();
    failStore(100);
    let attempts = 0;
    for (; (await outcomeOf(id))!.state === "processing"; attempts += 1) await processMedia(id).catch(() => {});
    expect(attempts).to.equal(8);
    const reason = "The file can't be stored now. Send it again later.";
    expect(await outcomeOf(id)).to.deep.equal({ state: "rejected", reason });
    configureMedia(testMedia);
    await untilFiles(id, 0);
  });

  it("rejects a file that ends the process that reads it three times", async () => {
    const id = await sent({ attempts: 1 });
    const killed = async () => {
      const pid = await stoppedReader();
      const read = processMedia(id).catch(String);
      await until("it is begun", async () => (await originals()) === 1);
      process.kill(pid, "SIGKILL");
      return read;
    };
    expect(await killed()).to.equal("Error: the process that reads media has ended");
    expect((await outcomeOf(id))!.state).to.equal("processing");
    await killed();
    expect(await outcomeOf(id)).to.deep.equal({ state: "rejected", reason: "The file can't be read." });
    await untilFiles(id, 0);
  });

  it("counts the time of a file from its turn on, not while others are read", async () => {
    const limits: AbortController[] = [];
    AbortSignal.timeout = (ms) => {
      if (ms !== 20_000) return realTimeout.call(AbortSignal, ms);
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    };
    const [slow, next] = [await sent(), await sent()];
    const reader = await stoppedReader();
    limits.length = 0;
    const slowRead = processMedia(slow);
    await until("the first is being read", async () => limits.length === 1);
    const nextRead = processMedia(next);
    await until("the next waits", async () => (await originals()) === 2);
    await pause(100);
    expect(limits).to.have.length(1);

    limits[0]!.abort();
    process.kill(reader, "SIGCONT");
    await Promise.all([slowRead, nextRead]);
    expect(await outcomeOf(slow)).to.deep.equal({ state: "rejected", reason: "The file takes too long to read." });
    expect(await outcomeOf(next)).to.deep.equal({ state: "ready", reason: null });
    expect(limits).to.have.length(2);
  });

  it("reads the first file of a user before most of those of another", async () => {
    const [grace, joan] = [await buildUser(), await buildUser()];
    const send = async ({ token }: BuiltUser) => (await sendBytes(service.call, token, bytes, { purpose: "post" })).id;
    const adas: string[] = [];
    while (adas.length < 20) adas.push(await send(ada));
    const [graces, joans] = [await send(grace), await send(joan)];
    const read: string[] = [];
    const reader = await stoppedReader(joan);
    onSignal("media.processed", ({ media_id }) => void read.push(media_id));

    const completed = [complete(service.call, joan.token, joans)];
    await until("one is being read", async () => (await originals()) === 1);
    const processing = async () => (await query("SELECT FROM media WHERE state = 'processing'")).length;
    const before = await processing();
    completed.push(...adas.map((id) => complete(service.call, ada.token, id)));
    await until("all of a user wait behind it", async () => (await processing()) === before + 20);
    completed.push(complete(service.call, grace.token, graces));
    await until("so does that of another", async () => (await processing()) === before + 21);
    process.kill(reader, "SIGCONT");
    await Promise.all(completed);
    // Before it, Joan's is read. Up to three begin with it.
    expect(read.indexOf(graces)).to.be.within(1, 4);
  });

  it("leaves what is read and what waits to another process when it stops", async () => {
    const ids = [await sent(), await sent()];
    const reader = await stoppedReader();
    const reads = ids.map((id) => processMedia(id).catch(({ name }: Error) => name));
    await until("one is read, and the other waits", async () => (await originals()) === 2);
    await pause(100);
    const stopped = stopReadingMedia();
    process.kill(reader, "SIGCONT");
    await stopped;
    expect(await Promise.all(reads)).to.have.members(["Error", "AbortError"]);
    expect(await readers()).to.deep.equal([]);
    for (const id of ids) expect((await outcomeOf(id))!.state).to.equal("processing");
  });

  /** Counts the files that are on the way to the process that reads. */
  async function originals(): Promise<number> {
    const folders = (await readdir(tmpdir())).filter((name) => /^hubbub-media-\w{6}$/.test(name));
    const sizes = folders.map((name) =>
      stat(join(tmpdir(), name, "original")).then(
        ({ size }) => size,
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).filter((size) => size === bytes.length).length;
  }
});
