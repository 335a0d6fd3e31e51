import type { Media } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { onSignal } from "#shared/db/signals.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { secondsMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { mediaStore } from "./media.config.ts";
import { MediaModel } from "./media.model.ts";
import { auditUpload, getMedia, ownerOf, type Uploader } from "./media.queries.ts";
import { uploadKey } from "./media-keys.ts";
import { processJob } from "./process-media.ts";
import { lockUploads } from "./request-upload.ts";

/** How long a call waits until a file is ready, milliseconds. Then it returns it as it is. */
const waitMs = secondsMs(8);

const waiting = new Map<string, Set<() => void>>();
onSignal("media.processed", ({ media_id }) => {
  for (const wake of waiting.get(media_id) ?? []) wake();
});

/** Resolves when a medium has been processed, by any process, or after some seconds. */
function processed(id: string): { readonly done: Promise<void>; readonly stop: () => void } {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const wakes = waiting.get(id) ?? new Set();
  waiting.set(id, wakes.add(resolve));
  const stop = () => {
    clearTimeout(timer);
    wakes.delete(resolve);
    if (wakes.size === 0) waiting.delete(id);
  };
  return { done, stop };
}

/** Lets users with few files that are still to be read go before those with many. */
async function priorityOf(tx: Tx, userId: string | null): Promise<number> {
  if (!userId) return 0;
  await lockUploads(tx, userId);
  const [of] = await tx.query<{ processing: number }>(
    "SELECT count(*) AS processing FROM media WHERE user_id = $1 AND state = 'processing'",
    [userId],
  );
  // This one is among them.
  return 1 - of!.processing;
}

/**
 * Begins to process what was uploaded, and waits until it is ready or rejected, for some seconds. A repeated call
 * returns it as it is.
 * @throws NOT_FOUND, CONFLICT if its bytes haven't come
 */
export async function completeUpload(caller: Uploader, id: string): Promise<Media> {
  const present = await getMedia(caller, id);
  if (present.state === "ready" || present.state === "rejected") return present;
  if (present.state === "pending" && (await mediaStore().sizeOf(uploadKey(id))) === undefined)
    throw new DomainError("CONFLICT", "Send the bytes first.");
  const wait = processed(id);
  try {
    await inTransaction(async (tx) => {
      const where = { id, user_id: ownerOf(caller), state: "pending" } as const;
      if (!(await MediaModel.change(tx, where, { state: "processing", begun_at: now }))) return;
      await auditUpload(tx, caller, "media.complete", id, { purpose: present.purpose });
      await tx.enqueue(processJob, { media_id: id }, { priority: await priorityOf(tx, ownerOf(caller)) });
    });
    // Between the first look and the signal, another process may have ended it.
    const begun = await getMedia(caller, id);
    if (begun.state !== "processing") return begun;
    await wait.done;
    return await getMedia(caller, id);
  } finally {
    wait.stop();
  }
}
