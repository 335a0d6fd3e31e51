import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { decryptPiece, encryptPiece, newPieceKey } from "./piece-cipher.ts";
import { speechRate } from "./speech.ts";
import { linkReport, type OpenEvidence, openEvidence, type Speech, storePiece } from "./store-evidence.ts";

/** How much of a room's audio is kept, and how long further reports add to the same evidence. */
export const keptMs = minutesMs(5);

/** 14 seats that speak all the time for as long. The oldest pieces give way. */
const bytesMax = 64 * 1024 * 1024;
/** Pieces that wait for the disk. Further ones are dropped. */
const waitingMax = 64;
/** How often the reports of one room begin further evidence: an hour of audio. */
const evidencesMax = 12;

/** How often sealing is tried, and the pause in between, milliseconds. */
const [attemptsMax, pauseMs] = [5, 1000];

/** Where a piece is, as long as the room lives. */
interface Piece extends Omit<Speech, "content"> {
  readonly endedMs: number;
  readonly bytes: number;
  /** The evidence that has it, too. */
  sealedIn?: string;
}

/**
 * The last five minutes of one room, in encrypted pieces in files. Their key is in this object only, and is overwritten
 * at the end: from then on, the pieces can't be read, whatever is left of them.
 */
export class RoomRing {
  readonly #roomId: string;
  readonly #folder: string;
  readonly #key: Buffer;
  /** One piece of work at a time: a report seals what was added before it. */
  readonly #inTurn = pLimit(1);
  readonly #pieces: Piece[] = [];
  /** When each user was last heard. */
  readonly #spoken = new Map<string, number>();
  #last = 0;
  #evidence: (OpenEvidence & { readonly untilMs: number }) | undefined;
  #evidences = 0;
  #ended = false;

  /** The folder is the room's own; it needn't exist. The ring overwrites the key at its end. */
  constructor(roomId: string, folder: string, key = newPieceKey()) {
    this.#roomId = roomId;
    this.#folder = folder;
    this.#key = key;
  }

  /** Whether nothing waits, or is being done. */
  get isIdle(): boolean {
    return this.#inTurn.activeCount + this.#inTurn.pendingCount === 0;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0 && this.isIdle;
  }

  /** Returns whether what a user said is kept. */
  hasSpoken(userId: string): boolean {
    return (this.#spoken.get(userId) ?? 0) > clock.now() - keptMs;
  }

  /** Keeps a piece, unless the disk is too slow. Encrypts it at once. */
  add(userId: string, startedMs: number, content: Buffer): void {
    if (this.#ended) return;
    if (this.#inTurn.pendingCount >= waitingMax) {
      metrics.voiceEvidence.inc({ outcome: "dropped" });
      return;
    }
    this.#last += 1;
    const endedMs = startedMs + (content.length / speechRate) * 1000;
    const piece = { number: this.#last, userId, startedMs, endedMs, bytes: content.length };
    const encrypted = encryptPiece(this.#key, this.#contextOf(piece), content);
    this.#spoken.set(userId, endedMs);
    this.#doInTurn(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(this.#pathOf(piece), encrypted, { mode: 0o600 });
      this.#pieces.push(piece);
      metrics.voiceEvidence.inc({ outcome: "kept" });
      await this.#dropOld();
    });
  }

  /** Deletes what is older than five minutes. */
  drop(): void {
    if (this.#pieces.length > 0) this.#doInTurn(() => this.#dropOld());
  }

  /** Seals what is kept for a report, at once or after what is being done. */
  seal(reportId: string): void {
    if (!this.#ended) this.#doInTurn(() => this.#trySealing(reportId, attemptsMax));
  }

  /** Forgets the key, once the reports that came before have sealed what they need, and deletes the pieces. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#inTurn(async () => {
      this.#key.fill(0);
      this.#evidence?.key.fill(0);
      this.#pieces.length = 0;
      await rm(this.#folder, { recursive: true, force: true });
    }).catch((error: unknown) => logger.error({ err: error, roomId: this.#roomId }, "audio could not be deleted"));
  }

  #doInTurn(work: () => Promise<void>): void {
    this.#inTurn(work).catch((error: unknown) => {
      metrics.voiceEvidence.inc({ outcome: "failed" });
      logger.error({ err: error, roomId: this.#roomId }, "evidence of voice failed");
    });
  }

  async #dropOld(): Promise<void> {
    const sinceMs = clock.now() - keptMs;
    let bytes = this.#pieces.reduce((sum, piece) => sum + piece.bytes, 0);
    while (this.#pieces[0] && (this.#pieces[0].endedMs <= sinceMs || bytes > bytesMax)) {
      const piece = this.#pieces.shift()!;
      bytes -= piece.bytes;
      await rm(this.#pathOf(piece), { force: true });
    }
  }

  /** The database may be away for a moment; what was sealed isn't sealed again. */
  async #trySealing(reportId: string, attempts: number): Promise<void> {
    try {
      await this.#sealFor(reportId);
    } catch (error) {
      if (attempts === 1) throw error;
      await pause(pauseMs);
      await this.#trySealing(reportId, attempts - 1);
    }
  }

  async #sealFor(reportId: string): Promise<void> {
    await this.#dropOld();
    if (this.#pieces.length === 0) return;
    const evidence = await this.#openEvidence();
    if (!evidence) return logger.warn({ roomId: this.#roomId, reportId }, "too many reports of one room seal audio");
    await linkReport(evidence, reportId);
    for (const piece of this.#pieces) {
      if (piece.sealedIn === evidence.id) continue;
      const content = decryptPiece(this.#key, this.#contextOf(piece), await readFile(this.#pathOf(piece)));
      await storePiece(evidence, { ...piece, content });
      piece.sealedIn = evidence.id;
    }
    metrics.voiceEvidence.inc({ outcome: "sealed" });
  }

  async #openEvidence(): Promise<OpenEvidence | undefined> {
    if (this.#evidence && this.#evidence.untilMs > clock.now()) return this.#evidence;
    if (this.#evidences >= evidencesMax) return undefined;
    this.#evidences += 1;
    this.#evidence?.key.fill(0);
    this.#evidence = { ...(await openEvidence(this.#roomId)), untilMs: clock.now() + keptMs };
    return this.#evidence;
  }

  #contextOf({ userId, number }: Pick<Piece, "userId" | "number">): string {
    return `voice of ${userId} in ${this.#roomId}, ${number}`;
  }

  #pathOf({ number }: Pick<Piece, "number">): string {
    return join(this.#folder, String(number));
  }
}
