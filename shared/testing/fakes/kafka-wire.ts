/** A record as it was stored. */
export interface KafkaRecord {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads what Kafka's protocol writes: big-endian numbers, and what is as long as a number before it says. */
export class Reader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  take(length: number): Buffer {
    this.#at += length;
    return this.#data.subarray(this.#at - length, this.#at);
  }
  int16 = (): number => this.take(2).readInt16BE();
  int32 = (): number => this.take(4).readInt32BE();
  int64 = (): bigint => this.take(8).readBigInt64BE();
  text(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.take(length).toString();
  }
  bytes = (): Buffer => this.take(this.int32());
  array = <T>(one: (from: this) => T): T[] => Array.from({ length: Math.max(0, this.int32()) }, () => one(this));

  /** A number of up to 64 bits, seven in each byte, the lowest first; its last bit is the sign. */
  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number((value >> 1n) ^ -(value & 1n));
    }
  }
  varText = (): string => this.take(Math.max(0, this.varint())).toString();
}

export class Writer {
  readonly #parts: Buffer[] = [];

  #add(length: number, write: (to: Buffer) => void): this {
    const part = Buffer.alloc(length);
    write(part);
    this.#parts.push(part);
    return this;
  }
  int8 = (value: number): this => this.#add(1, (to) => to.writeInt8(value));
  int16 = (value: number): this => this.#add(2, (to) => to.writeInt16BE(value));
  int32 = (value: number): this => this.#add(4, (to) => to.writeInt32BE(value));
  int64 = (value: bigint): this => this.#add(8, (to) => to.writeBigInt64BE(value));
  text = (value: string | null): this =>
    value === null ? this.int16(-1) : this.int16(Buffer.byteLength(value)).#raw(Buffer.from(value));
  bytes = (value: Buffer): this => this.int32(value.length).#raw(value);
  array<T>(all: readonly T[], one: (to: this, value: T) => unknown): this {
    this.int32(all.length);
    for (const value of all) one(this, value);
    return this;
  }
  #raw(part: Buffer): this {
    this.#parts.push(part);
    return this;
  }

  /** Returns all of it with its length before it. */
  framed(): Buffer {
    const body = Buffer.concat(this.#parts);
    return Buffer.concat([new Writer().int32(body.length).body(), body]);
  }
  body = (): Buffer => Buffer.concat(this.#parts);
}

/** Reads a batch of records, version 2. */
export function readBatch(data: Buffer): { producerId: bigint; sequence: number; records: KafkaRecord[] } {
  const from = new Reader(data);
  // The offset, length, leader epoch, version, checksum, attributes, last offset, and both timestamps.
  from.take(8 + 4 + 4 + 1 + 4 + 2 + 4 + 8 + 8);
  const producerId = from.int64();
  from.int16();
  const sequence = from.int32();
  return { producerId, sequence, records: from.array(readRecord) };
}

function readRecord(from: Reader): KafkaRecord {
  from.varint();
  from.take(1);
  from.varint();
  from.varint();
  const [key, value] = [from.varText(), from.varText()];
  const headers = Array.from({ length: from.varint() }, () => [from.varText(), from.varText()]);
  return { key, value, headers: Object.fromEntries(headers) };
}
