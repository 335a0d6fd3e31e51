import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EventSink, SinkEvent } from "./event-sink.ts";

/** How much is read at a time to find where the last whole line ends, bytes. */
const pieceSize = 64 * 1024;

/** Returns the size of a file up to the end of its last whole line: a crash may have left a torn one. */
async function wholeSize(file: Awaited<ReturnType<typeof open>>): Promise<number> {
  const { size } = await file.stat();
  for (let end = size; end > 0; end -= pieceSize) {
    const start = Math.max(0, end - pieceSize);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(end - start), position: start });
    const newline = buffer.subarray(0, bytesRead).lastIndexOf("\n");
    if (newline >= 0) return start + newline + 1;
  }
  return 0;
}

/** Makes the name of a new file durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}

async function append(folder: string, name: string, text: string): Promise<void> {
  const file = await open(join(folder, name), "a+");
  try {
    const { size } = await file.stat();
    const whole = await wholeSize(file);
    if (whole < size) await file.truncate(whole);
    await file.write(text);
    await file.datasync();
    if (size === 0) await syncFolder(folder);
  } finally {
    await file.close();
  }
}

/**
 * Files of NDJSON in a folder of this machine, one for each hour (UTC) in which the events happened:
 * `events-2026-01-31T12.ndjson`. Each batch is on the disk before it counts as written.
 */
export function fileSink(url: URL): EventSink {
  const folder = fileURLToPath(url);
  return {
    write: async (batch) => {
      await mkdir(folder, { recursive: true });
      const byHour = Object.groupBy(batch, ({ timestamp }) => timestamp.slice(0, 13)) as Record<string, SinkEvent[]>;
      for (const [hour, events] of Object.entries(byHour))
        await append(folder, `events-${hour}.ndjson`, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    },
    close: async () => {},
  };
}
