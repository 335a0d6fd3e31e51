import { countChanges, deleteBatch } from "#shared/db/batches.ts";
import { queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";
import { VoiceEvidence } from "./evidence.model.ts";
import { decryptPiece, encryptPiece, newPieceKey } from "./piece-cipher.ts";

/** How long sealed audio is kept, with its key. */
export const evidenceDays = 30;

const contextOf = (evidenceId: string): string => `voice evidence ${evidenceId}`;
const pieceOf = (evidenceId: string, number: number): string => `${contextOf(evidenceId)} ${number}`;

/** What pieces are added to. */
export interface OpenEvidence {
  readonly id: string;
  /** In memory only; the database has it sealed. */
  readonly key: Buffer;
}

/** Creates evidence without pieces, with a key of its own. */
export async function openEvidence(roomId: string): Promise<OpenEvidence> {
  const [id, key] = [newId(), newPieceKey()];
  const row = {
    id,
    room_id: roomId,
    key_sealed: seal(contextOf(id), key.toString("base64")),
    expires_at: new Date(clock.now() + daysMs(evidenceDays)).toISOString(),
  };
  await inTransaction((tx) => VoiceEvidence.insert(tx, row));
  return { id, key };
}

export async function linkReport({ id }: OpenEvidence, reportId: string): Promise<void> {
  await alone("INSERT INTO voice_evidence_reports (report_id, evidence_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    reportId,
    id,
  ]);
}

/** A piece of a seat's audio. */
export interface Speech {
  readonly number: number;
  readonly userId: string;
  readonly startedMs: number;
  /** Mono, 16 kHz, µ-law. */
  readonly content: Buffer;
}

export async function storePiece({ id, key }: OpenEvidence, piece: Speech): Promise<void> {
  await alone(
    `INSERT INTO voice_evidence_pieces (evidence_id, number, user_id, started_at, samples, content)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [
      id,
      piece.number,
      piece.userId,
      new Date(piece.startedMs).toISOString(),
      piece.content.length,
      encryptPiece(key, pieceOf(id, piece.number), piece.content),
    ],
  );
}

/** Returns what reads a piece by its number. Undefined if there is no evidence, or no configured key opens it. */
export async function openPieces(
  evidenceId: string,
): Promise<((number: number) => Promise<Buffer | undefined>) | undefined> {
  const evidence = await VoiceEvidence.read({ id: evidenceId }, ["key_sealed"]);
  const key = evidence && unseal(contextOf(evidenceId), evidence.key_sealed);
  if (key === undefined) return undefined;
  return async (number) => {
    const piece = await queryOne<{ content: Buffer }>(
      "SELECT content FROM voice_evidence_pieces WHERE evidence_id = $1 AND number = $2",
      [evidenceId, number],
    );
    return piece && decryptPiece(Buffer.from(key, "base64"), pieceOf(evidenceId, number), piece.content);
  };
}

/** Deletes evidence that has been kept for long enough, some at a time. Returns how many. Called by a job. */
export const pruneVoiceEvidence = (most = 5): Promise<number> =>
  deleteBatch({ from: "voice_evidence", key: "id", where: "expires_at <= now()" }, most);

/** Step: deletes a batch of what a user said in evidence. Returns how many pieces. */
export const eraseVoiceEvidence = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `DELETE FROM voice_evidence_pieces WHERE (evidence_id, number) IN (
       SELECT evidence_id, number FROM voice_evidence_pieces WHERE user_id = $1 LIMIT 100
     ) RETURNING 1`,
  );
