import type { MediaPurpose, MediaUpload } from "#shared/contracts/views.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { clock, secondsMs } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { mediaStore } from "./media.config.ts";
import { MediaModel } from "./media.model.ts";
import { auditUpload, ownerOf, type Uploader } from "./media.queries.ts";
import { purposes } from "./purposes.ts";

/** How long a client may take to send the bytes, seconds. */
export const uploadSeconds = 15 * 60;
/** How many uploads of a user may wait for their bytes, or to be read: others wait behind them. */
const unfinishedMax = 20;
const MB = 1_048_576;

export interface UploadInput {
  readonly purpose: MediaPurpose;
  readonly content_type: string;
  readonly bytes: number;
  readonly sha256?: string;
  /** The name of a file. */
  readonly name?: string;
  /** The volume of a voice note, from 0 to 100. Its recorder knows it. */
  readonly waveform?: readonly number[];
}

/**
 * Announces an upload, and returns where its bytes go.
 * @throws VALIDATION_ERROR if the purpose doesn't take such a file, RATE_LIMITED beyond the bytes of a day,
 *   CONTENT_BLOCKED for the name of a file
 */
export async function requestUpload(caller: Uploader, input: UploadInput): Promise<MediaUpload> {
  assertTaken(input);
  const user_id = ownerOf(caller);
  const id = newId();
  const { purpose, content_type, bytes, sha256 = null, waveform = null } = input;
  const author = user_id && input.name !== undefined ? await authorOf(user_id) : {};
  const name = input.name === undefined ? null : checkContent("file_name", input.name, author);
  await inTransaction(async (tx) => {
    if (user_id) await assertBelowLimits(tx, user_id, bytes);
    await auditUpload(tx, caller, "media.announce", id, { purpose, content_type, bytes });
    await MediaModel.insert(tx, { id, user_id, purpose, content_type, bytes, sha256, name, waveform });
  });
  const expiresAt = clock.now() + secondsMs(uploadSeconds);
  const { url, headers } = await mediaStore().uploadAt({ id, contentType: content_type, bytes, expiresAt });
  return { id, upload: { method: "PUT", url, headers, expires_at: new Date(expiresAt).toISOString() } };
}

function assertTaken({ purpose, content_type, bytes }: UploadInput): void {
  const { types, bytesMax } = purposes[purpose];
  if (!types.includes(content_type))
    throw invalidFields([
      { field: "content_type", text: "{{field}} must be one of {{types}}", values: { types: types.join(", ") } },
    ]);
  if (bytes > bytesMax)
    throw invalidFields([{ field: "bytes", text: "{{field}} must be at most {{most}}", values: { most: bytesMax } }]);
}

/** Step: concurrent calls of a user wait here for each other, so that each counts the uploads of those before it. */
export const lockUploads = (tx: Tx, userId: string): Promise<unknown> =>
  tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.uploads, userId]);

async function assertBelowLimits(tx: Tx, userId: string, bytes: number): Promise<void> {
  await lockUploads(tx, userId);
  const [of] = await tx.query<{ bytes: number; unfinished: number; wait: number | null }>(
    `SELECT coalesce(sum(bytes), 0)::bigint AS bytes,
       count(*) FILTER (WHERE state = 'processing'
         OR state = 'pending' AND created_at > now() - interval '15 minutes') AS unfinished,
       ceil(extract(epoch FROM min(created_at) + interval '24 hours' - now()))::integer AS wait
     FROM media WHERE user_id = $1 AND created_at > now() - interval '24 hours'`,
    [userId],
  );
  const retryAfter = Math.max(1, of!.wait ?? 1);
  if (of!.unfinished >= unfinishedMax)
    throw new DomainError("RATE_LIMITED", "Too many of your uploads are still waiting.", { retryAfter: 60 });
  if (of!.bytes + bytes > setting("upload_megabytes_per_day") * MB)
    throw new DomainError("RATE_LIMITED", "You have uploaded too much in the last 24 hours.", { retryAfter });
}
