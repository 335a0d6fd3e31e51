/** Samples a second of what is kept: enough for speech. */
export const speechRate = 16_000;
/** The media server sends 48,000 frames a second of 2 samples of 16 bits: 3 frames make one sample. */
const bytesPerSample = 3 * 2 * 2;
const samplesPerSample = bytesPerSample / 2;

/** The bytes that the media server sends in a second. */
export const sentPerSecond = speechRate * bytesPerSample;

const [bias, clip] = [132, 32_635];
/** What 0 is in µ-law. */
const zero = 0xff;

/** Encodes a sample of 16 bits as a byte, by G.711 µ-law. */
function muLaw(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), clip) + bias;
  const exponent = 24 - Math.clz32(magnitude);
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

/** Turns the media server's audio into speech: mono, 16 kHz, 8 bits by µ-law, a twelfth of its size. */
export class SpeechEncoder {
  #rest = Buffer.alloc(0);

  /** Encodes what has come. What doesn't fill a sample waits for the next call. */
  encode(chunk: Buffer): Buffer {
    const count = Math.floor((this.#rest.length + chunk.length) / bytesPerSample);
    const whole = Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.from(whole.subarray(count * bytesPerSample));
    const speech = Buffer.allocUnsafe(count);
    for (let at = 0; at < count; at += 1) {
      let sum = 0;
      for (let of = 0; of < samplesPerSample; of += 1) sum += whole.readInt16LE(at * bytesPerSample + of * 2);
      speech[at] = muLaw(Math.round(sum / samplesPerSample));
    }
    return speech;
  }
}

export const silence = (samples: number): Buffer => Buffer.alloc(samples, zero);

/** Returns whether nothing is to be heard: the media server sends zeros, of either sign, while a track has no audio. */
export const isSilent = (speech: Buffer): boolean => speech.every((sample) => (sample | 0x80) === zero);

/** Returns the head of a WAV file of so many samples. */
export function wavHead(samples: number): Buffer {
  const head = Buffer.alloc(58);
  head.write("RIFF", 0);
  head.writeUInt32LE(50 + samples, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(18, 16);
  head.writeUInt16LE(7, 20); // µ-law
  head.writeUInt16LE(1, 22); // channel
  head.writeUInt32LE(speechRate, 24);
  head.writeUInt32LE(speechRate, 28); // bytes a second
  head.writeUInt16LE(1, 32); // byte a frame
  head.writeUInt16LE(8, 34); // bits
  head.write("fact", 38);
  head.writeUInt32LE(4, 42);
  head.writeUInt32LE(samples, 46);
  head.write("data", 50);
  head.writeUInt32LE(samples, 54);
  return head;
}
