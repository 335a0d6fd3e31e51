import type { Readable } from "node:stream";
import { query } from "#shared/db/query.ts";
import { mediaStore } from "./media.config.ts";
import type { StoredCard } from "./media-card.ts";
import { fileKey } from "./media-keys.ts";

/** A file that a user has uploaded, in its largest size. */
export interface UserFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly read: () => Promise<Readable>;
}

/** Returns the files that a user has uploaded, newest first. */
export async function listFiles(userId: string): Promise<UserFile[]> {
  const rows = await query<{ card: StoredCard }>(
    "SELECT card FROM media WHERE user_id = $1 AND state = 'ready' ORDER BY id DESC",
    [userId],
  );
  return rows.map(({ card }) => {
    const { file, bytes: size } = card.variants.at(-1)!;
    const key = fileKey(card.id, file, card.is_private === true);
    return { name: `${card.id}-${file}`, size, read: () => mediaStore().read(key) };
  });
}
