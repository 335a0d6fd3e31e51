import { randomBytes } from "node:crypto";
import type { TrackInfo } from "@livekit/protocol";
import { type Heard, newAudio } from "./media.ts";

/** Levels below this are loud enough for speech (0 is the loudest), as by default on a real server. */
const speechLevel = 35;
/** Time without speech after which a participant no longer speaks. */
const silenceMs = 1000;

/** Returns an ID as LiveKit makes them, which clients tell apart by their prefix. */
export const newSid = (prefix: "PA" | "RM" | "TR"): string => `${prefix}_${randomBytes(9).toString("hex")}`;

/** A track that a client sends, and who speaks on it. */
export class PublishedTrack {
  readonly info: TrackInfo;
  readonly audio = newAudio();
  /** Whether audio has come. */
  isLive = false;
  readonly #onSpeaking: (isSpeaking: boolean) => void;
  #silence: NodeJS.Timeout | undefined;

  constructor(info: TrackInfo, onSpeaking: (isSpeaking: boolean) => void) {
    this.info = info;
    this.#onSpeaking = onSpeaking;
  }

  write({ packet, level }: Heard): void {
    if (this.info.muted) return;
    this.audio.writeRtp(packet);
    if (level > speechLevel) return;
    if (this.#silence) this.#silence.refresh();
    else {
      this.#silence = setTimeout(() => this.#fallSilent(), silenceMs);
      this.#onSpeaking(true);
    }
  }

  mute(muted: boolean): void {
    this.info.muted = muted;
    if (muted) this.#fallSilent();
  }

  end(): void {
    this.audio.stop();
    this.#fallSilent();
  }

  #fallSilent(): void {
    if (!this.#silence) return;
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#onSpeaking(false);
  }
}
