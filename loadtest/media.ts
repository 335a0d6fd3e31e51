import sharp from "sharp";
import { callAsOthers } from "./logins.ts";
import { judge, median, printTable, say } from "./report.ts";
import { type Person, register, type Service, startService } from "./service.ts";

interface Options {
  rounds: number;
}

/** Milliseconds from the announcement until a picture of 2 MB is ready. */
const readyMsMax = 1000;
/** How much later others' calls may be answered while ten pictures are read, p99, milliseconds. */
const othersMsMax = 5;
const atOnce = 10;

/** Returns a JPEG of about 2 MB: 12 megapixels, as a phone takes them. */
const photo = (): Promise<Buffer> =>
  sharp({
    create: {
      width: 4032,
      height: 3024,
      channels: 3,
      background: "#808080",
      noise: { type: "gaussian", mean: 128, sigma: 25 },
    },
  })
    .jpeg({ quality: 60 })
    .toBuffer();

/** Uploads a picture as an app does, and completes it. Returns how long it took until it was ready, milliseconds. */
async function upload(service: Service, person: Person, bytes: Buffer): Promise<number> {
  const begunMs = performance.now();
  await complete(service, person, await send(service, person, bytes));
  return performance.now() - begunMs;
}

async function send(service: Service, { token }: Person, bytes: Buffer): Promise<string> {
  const body = { purpose: "post", content_type: "image/jpeg", bytes: bytes.length };
  const announced = await service.call<{ id: string; upload: { url: string; headers: Record<string, string> } }>(
    "POST",
    "/media",
    { token, body },
  );
  const { url, headers } = announced.upload;
  const sent = await fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) });
  if (!sent.ok) throw new Error(`the upload was answered with ${sent.status}`);
  return announced.id;
}

async function complete(service: Service, { token }: Person, id: string): Promise<void> {
  for (;;) {
    const { state } = await service.call<{ state: string }>("POST", `/media/${id}/complete`, { token });
    if (state === "ready") return;
    if (state !== "processing") throw new Error(`the picture is ${state}`);
  }
}

/** Measures how long a picture takes until it is ready, and what ten at once do to others' calls. */
export async function media({ rounds }: Options): Promise<void> {
  const service = await startService();
  const people = await register(service, atOnce);
  const bytes = await photo();
  say(`a picture of ${(bytes.length / 1e6).toFixed(2)} MB and 12 megapixels`);
  const rows: { readyMs: number; idleMs: number; busyMs: number; tenMs: number }[] = [];
  try {
    await upload(service, people[0]!, bytes);
    for (let round = 0; round < rounds; round += 1) {
      const readyMs = await upload(service, people[0]!, bytes);
      const ids = await Promise.all(people.map((person) => send(service, person, bytes)));
      const begunMs = performance.now();
      const busyMs = await othersWhile(service, people[0]!, () =>
        Promise.all(people.map((person, index) => complete(service, person, ids[index]!))),
      );
      const tenMs = performance.now() - begunMs;
      const idleMs = await othersWhile(service, people[0]!, () => new Promise((done) => setTimeout(done, tenMs)));
      rows.push({ readyMs, idleMs, busyMs, tenMs });
    }
  } finally {
    await service.stop();
  }
  printTable(
    rows.map(({ readyMs, tenMs, idleMs, busyMs }) => ({
      "ready ms": readyMs.toFixed(0),
      "ten at once ms": tenMs.toFixed(0),
      "others idle p99 ms": idleMs.toFixed(1),
      "others meanwhile p99 ms": busyMs.toFixed(1),
    })),
  );
  const ready = median(rows.map(({ readyMs }) => readyMs));
  judge(`a picture is ready after ${ready.toFixed(0)} ms (target: ${readyMsMax})`, ready <= readyMsMax);
  const rise = median(rows.map(({ idleMs, busyMs }) => busyMs - idleMs));
  judge(
    `others' calls while ten are read: p99 ${rise.toFixed(1)} ms later than idle (target: at most ${othersMsMax})`,
    rise <= othersMsMax,
  );
}

/** Returns the p99 of others' calls while something is done, milliseconds. */
async function othersWhile(service: Service, other: Person, work: () => Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  const others = callAsOthers(service, other, ended.signal);
  await work();
  ended.abort();
  const latencies = (await others).sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN;
}
