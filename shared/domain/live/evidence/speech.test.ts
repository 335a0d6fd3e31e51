import { expect } from "chai";
import { isSilent, SpeechEncoder, silence, speechRate, wavHead } from "./speech.ts";

/** A tone as the media server sends it: 16 bits, 48 kHz, stereo. */
function tone(seconds: number, amplitude: number): Buffer {
  const frames = seconds * 48_000;
  const audio = Buffer.alloc(frames * 4);
  for (let frame = 0; frame < frames; frame += 1) {
    const sample = Math.round(amplitude * Math.sin((2 * Math.PI * 440 * frame) / 48_000));
    audio.writeInt16LE(sample, frame * 4);
    audio.writeInt16LE(sample, frame * 4 + 2);
  }
  return audio;
}

/** Decodes G.711 µ-law, as players do. */
function decode(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}

describe("speech", () => {
  it("sounds as it was sent, a twelfth of the size", () => {
    const speech = new SpeechEncoder().encode(tone(1, 12_000));
    expect(speech.length).to.equal(speechRate);
    speech.forEach((byte, at) => {
      const sent = 12_000 * Math.sin((2 * Math.PI * 440 * (at * 3 + 1)) / 48_000);
      expect(Math.abs(decode(byte) - sent), `sample ${at}`).to.be.below(40 + Math.abs(sent) * 0.04);
    });
  });

  it("is the same in whatever chunks it comes", () => {
    const sent = tone(0.05, 30_000);
    const whole = new SpeechEncoder().encode(sent);
    const encoder = new SpeechEncoder();
    const sizes = [1, 5, 12, 1000, 3, 777];
    const parts: Buffer[] = [];
    for (let at = 0, turn = 0; at < sent.length; turn += 1) {
      const size = sizes[turn % sizes.length]!;
      parts.push(encoder.encode(sent.subarray(at, at + size)));
      at += size;
    }
    expect(Buffer.concat(parts).equals(whole)).to.equal(true);
  });

  it("keeps the loudest samples in range", () => {
    const loudest = Buffer.alloc(24);
    for (let at = 0; at < 12; at += 2) loudest.writeInt16LE(-32_768, at);
    for (let at = 12; at < 24; at += 2) loudest.writeInt16LE(32_767, at);
    expect([...new SpeechEncoder().encode(loudest)].map(decode)).to.deep.equal([-32_124, 32_124]);
  });

  it("is told from silence", () => {
    expect(isSilent(new SpeechEncoder().encode(Buffer.alloc(48_000)))).to.equal(true);
    expect(isSilent(new SpeechEncoder().encode(tone(0.1, 500)))).to.equal(false);
    expect(isSilent(silence(10))).to.equal(true);
  });

  it("has the head of a WAV file by µ-law", () => {
    const head = wavHead(16_000);
    expect(head.toString("latin1", 0, 4) + head.toString("latin1", 8, 16)).to.equal("RIFFWAVEfmt ");
    expect(head.readUInt32LE(4)).to.equal(head.length + 16_000 - 8);
    expect([head.readUInt16LE(20), head.readUInt16LE(22), head.readUInt32LE(24)]).to.deep.equal([7, 1, 16_000]);
    expect([head.toString("latin1", 50, 54), head.readUInt32LE(54)]).to.deep.equal(["data", 16_000]);
  });
});
