import { query } from "#shared/db/query.ts";
import { silence, speechRate, wavHead } from "#shared/domain/live/evidence/speech.ts";
import { openPieces } from "#shared/domain/live/evidence/store-evidence.ts";

/** Pieces that are no further apart were said without a pause: what lies between them is the network's. */
const joinedSamples = speechRate / 4;

interface Audio {
  /** Of the whole file. */
  readonly bytes: number;
  /** The file, piece by piece. */
  readonly content: () => AsyncGenerator<Buffer>;
}

/**
 * Returns what one user said as a WAV file, which begins when the evidence does, with silence where they said nothing.
 * Returns undefined if it isn't open, or they aren't heard in it.
 */
export async function readAudio(evidenceId: string, userId: string): Promise<Audio | undefined> {
  const pieces = await query<{ number: number; starts: number; samples: number }>(
    `SELECT p.number, p.samples, round(extract(epoch FROM p.started_at - min(a.begun)) * ${speechRate})::integer AS starts
     FROM voice_evidence_pieces p, (SELECT min(started_at) AS begun FROM voice_evidence_pieces WHERE evidence_id = $1) a
     WHERE p.evidence_id = $1 AND p.user_id = $2 GROUP BY p.number, p.samples, p.started_at ORDER BY p.number`,
    [evidenceId, userId],
  );
  const read = pieces.length > 0 && (await openPieces(evidenceId));
  if (!read) return undefined;
  let total = 0;
  const placed = pieces.map(({ number, starts, samples }) => {
    const pause = starts - total > joinedSamples ? starts - total : 0;
    total += pause + samples;
    return { number, pause };
  });
  const head = wavHead(total);
  return {
    bytes: head.length + total,
    content: async function* () {
      yield head;
      for (const { number, pause } of placed) {
        const piece = await read(number);
        if (!piece) return;
        yield silence(pause);
        yield piece;
      }
    },
  };
}
