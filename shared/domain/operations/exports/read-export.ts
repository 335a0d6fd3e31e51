import { query } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";

/** How often a link can be used: a person who finds it can't have the service send it for a day. */
const downloadsMax = 20;

/** An export that can be downloaded. */
export interface ReadyExport {
  readonly id: string;
  readonly attempt: number;
  readonly bytes: number;
  readonly ready_at: string;
}

/** Counts a download, and returns what is downloaded: undefined when there is nothing, or it was too often. */
export async function takeDownload(id: string): Promise<ReadyExport | undefined> {
  const [ready] = await alone<ReadyExport>(
    `UPDATE user_exports SET downloads = downloads + 1
     WHERE id = $1 AND state = 'ready' AND expires_at > now() AND downloads < $2 RETURNING id, attempt, bytes, ready_at`,
    [id, downloadsMax],
  );
  return ready;
}

/** Yields the zip of an export. Ends early if the export is deleted meanwhile. */
export async function* readPieces({ id, attempt }: ReadyExport): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const [piece] = await query<{ content: Buffer }>(
      "SELECT content FROM user_export_pieces WHERE export_id = $1 AND attempt = $2 AND number = $3",
      [id, attempt, number],
    );
    if (!piece) return;
    yield piece.content;
  }
}
