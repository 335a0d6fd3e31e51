import { clock } from "#shared/kernel/clock.ts";
import { isSilent, SpeechEncoder, sentPerSecond, speechRate } from "./speech.ts";
import type { SeatTrack } from "./stream-path.ts";

/** Seconds of a piece: what a process that is killed has not yet encrypted. */
const pieceSeconds = 10;
/** How far a stream may be ahead of its time, seconds: the media server sends as fast as people speak. */
const aheadSeconds = 10;

interface Recording {
  /** Keeps a piece that began at this time. */
  readonly keep: (startedMs: number, speech: Buffer) => void;
  readonly ended: () => void;
}

/** What one seat says, cut into pieces. Nothing of what is said while it is muted, and no silence. */
export class SeatStream {
  readonly trackId: string;
  readonly #recording: Recording;
  readonly #encoder = new SpeechEncoder();
  readonly #piece = Buffer.alloc(pieceSeconds * speechRate);
  readonly #sinceMs = clock.now();
  #startedMs = 0;
  #filled = 0;
  #bytes = 0;
  #muted = false;
  #ended = false;

  constructor({ trackId }: SeatTrack, recording: Recording) {
    this.trackId = trackId;
    this.#recording = recording;
  }

  /** Takes audio: 16 bits, 48 kHz, stereo. Ends the stream if it comes faster than people speak. */
  hear(chunk: Buffer): void {
    if (this.#ended) return;
    this.#bytes += chunk.length;
    const seconds = this.#bytes / sentPerSecond;
    if (seconds > (clock.now() - this.#sinceMs) / 1000 + aheadSeconds) {
      this.end();
      return;
    }
    let speech = this.#encoder.encode(chunk);
    if (this.#muted) return;
    while (speech.length > 0) {
      if (this.#filled === 0) this.#startedMs = clock.now() - (speech.length / speechRate) * 1000;
      const copied = speech.copy(this.#piece, this.#filled);
      this.#filled += copied;
      speech = speech.subarray(copied);
      if (this.#filled === this.#piece.length) this.cut();
    }
  }

  /** The media server says so; it goes on sending. */
  mute(isMuted: boolean): void {
    if (isMuted) this.cut();
    this.#muted = isMuted;
  }

  /** Keeps what has been said until now. */
  cut(): void {
    const speech = Buffer.from(this.#piece.subarray(0, this.#filled));
    this.#filled = 0;
    this.#piece.fill(0);
    if (speech.length > 0 && !isSilent(speech)) this.#recording.keep(this.#startedMs, speech);
  }

  end(): void {
    if (this.#ended) return;
    this.cut();
    this.#ended = true;
    this.#recording.ended();
  }
}
