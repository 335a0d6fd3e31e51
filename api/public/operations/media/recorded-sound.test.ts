import { expect } from "chai";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { upload } from "#shared/testing/media.ts";
import { useService } from "#shared/testing/service.ts";

/** Records a second of a tone, as voice notes are recorded in browsers. */
const record = `(async () => {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const destination = context.createMediaStreamDestination();
  tone.connect(destination);
  tone.start();
  const recorder = new MediaRecorder(destination.stream, { mimeType: "audio/webm;codecs=opus" });
  const parts = [];
  const enough = new Promise((resolve) => {
    recorder.ondataavailable = ({ data }) => {
      parts.push(data);
      if (parts.length >= 5) resolve();
    };
  });
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start(200);
  await enough;
  recorder.stop();
  await stopped;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
})()`;

describe("a voice note that a browser has recorded", () => {
  const service = useService();
  const browser = useBrowser();

  it("is taken, with its duration", async () => {
    const page = await browser.current.newPage();
    await page.goto(`${service.url}/healthz`);
    const bytes = Buffer.from((await page.evaluate(record)) as number[]);
    const { token } = await buildUser();
    const note = await upload(service.call, token, bytes, { purpose: "room_message", content_type: "audio/webm" });
    expect(note).to.include({ state: "ready", reason: null });
    expect(note.media).to.include({ kind: "audio", content_type: "audio/webm" });
    expect(note.media!.duration_ms).to.be.within(500, 3000);
  });
});
