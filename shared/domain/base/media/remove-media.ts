import { defineJob } from "#shared/db/jobs.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { mediaStore } from "./media.config.ts";
import { prefixesOf, uploadPrefix } from "./media-keys.ts";
import { uploadSeconds } from "./request-upload.ts";

/** Deletes the objects of media that are no longer needed. */
export const removeObjectsJob = defineJob<{ media_ids: string[] }>("media.remove_objects", {
  retries: 20,
  retryMaxSeconds: 600,
  timeoutSeconds: 120,
});

/**
 * Deletes from the store what was uploaded of ready media, and everything of rejected and deleted ones; handles
 * `removeObjectsJob`. Not to be called for media that are yet to be processed.
 */
export async function removeObjects(ids: readonly string[]): Promise<void> {
  const store = mediaStore();
  const rows = await query<{ id: string }>("SELECT id FROM media WHERE id = ANY($1) AND state = 'ready'", [ids]);
  const ready = new Set(rows.map(({ id }) => id));
  for (const id of ids)
    for (const prefix of ready.has(id) ? [uploadPrefix(id)] : prefixesOf(id)) await store.removeAll(prefix);
}

/**
 * Step: deletes after the commit what is no longer needed of a medium, and again later: bytes may be on their way, and
 * a bucket takes them until the upload link has expired.
 */
export async function removeLater(tx: Tx, id: string): Promise<void> {
  for (const afterSeconds of [0, 2 * uploadSeconds])
    await tx.enqueue(removeObjectsJob, { media_ids: [id] }, { afterSeconds });
}

/** Deletes media, and with the commit their objects. `rows`: what a DELETE returned. */
async function removed(tx: Tx, rows: readonly { readonly id: string }[]): Promise<number> {
  if (rows.length > 0) await tx.enqueue(removeObjectsJob, { media_ids: rows.map(({ id }) => id) });
  return rows.length;
}

/** Step: deletes a user's media, some at a time. Returns how many. */
export const eraseMedia = async (tx: Tx, userId: string): Promise<number> =>
  removed(
    tx,
    await tx.query("DELETE FROM media WHERE id IN (SELECT id FROM media WHERE user_id = $1 LIMIT 200) RETURNING id", [
      userId,
    ]),
  );

/** Deletes media that nothing has shown for a day, some at a time. Returns how many. Called by a job. */
export const pruneMedia = (most = 200): Promise<number> =>
  inTransaction(async (tx) =>
    removed(
      tx,
      await tx.query(
        `DELETE FROM media WHERE id IN (
           SELECT id FROM media WHERE uses = 0 AND unused_since < now() - interval '1 day'
           ORDER BY unused_since LIMIT $1 FOR UPDATE SKIP LOCKED
         ) RETURNING id`,
        [most],
      ),
    ),
  );
