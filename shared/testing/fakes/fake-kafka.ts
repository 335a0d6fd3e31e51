import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { freePort } from "#shared/testing/free-port.ts";
import { type KafkaRecord, Reader, readBatch, Writer } from "./kafka-wire.ts";
import { ScramLogin } from "./scram-login.ts";

/** The keys of the requests that it answers, with their only version. */
const keys = { produce: 0, metadata: 3, handshake: 17, versions: 18, producer: 22, login: 36 } as const;
const served: readonly (readonly [key: number, version: number])[] = [
  ...([
    [keys.produce, 3],
    [keys.metadata, 1],
    [keys.handshake, 1],
    [keys.versions, 1],
  ] as const),
  ...([
    [keys.producer, 0],
    [keys.login, 0],
  ] as const),
];
const mechanisms = ["PLAIN", "SCRAM-SHA-512"];
const [rightUser, password] = ["writer", "p@ss"];
const errors = { none: 0, unknownTopic: 3, unsupportedVersion: 35, outOfOrder: 45, wrongLogin: 58 } as const;

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A broker of Kafka with one topic, as the documents of the protocol describe it. */
export class FakeKafka {
  readonly topic = "hubbub";
  /** By partition, in order. */
  readonly partitions: KafkaRecord[][] = [[], [], []];
  /** How many of the next batches are stored, but not answered. */
  answersLost = 0;
  port = 0;
  /** How each connection logs in. */
  readonly #logins = new Map<Socket, ScramLogin | "PLAIN">();
  /** Encrypts connections, to brokers named `localhost`. */
  readonly #tls: Certificate | undefined;
  readonly #sequences = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #producers = 0;

  private constructor(tls: Certificate | undefined) {
    this.#tls = tls;
  }

  static async start(tls?: Certificate): Promise<FakeKafka> {
    const fake = new FakeKafka(tls);
    fake.port = await freePort();
    await fake.restart();
    return fake;
  }

  /** The URL of its topic, for `EVENT_SINKS`. */
  url(user = rightUser, more = ""): string {
    return `kafka${more}://${user}:${encodeURIComponent(password)}@${this.#host}:${this.port}/${this.topic}`;
  }

  get #host(): string {
    return this.#tls ? "localhost" : "127.0.0.1";
  }

  async restart(): Promise<void> {
    const serve = (socket: Socket) => this.#serve(socket);
    const server = this.#tls ? createTlsServer(this.#tls, serve) : createServer(serve);
    this.#server = server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  /** Is gone at once, with what it has not answered. What it has stored stays. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    server?.close();
    if (server) await once(server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => this.#forget(socket));
    let waiting = Buffer.alloc(0);
    socket.on("data", (part: Buffer) => {
      waiting = Buffer.concat([waiting, part]);
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE()) {
        const end = 4 + waiting.readInt32BE();
        const request = new Reader(waiting.subarray(4, end));
        waiting = waiting.subarray(end);
        this.#answer(socket, request);
      }
    });
  }

  #forget(socket: Socket): void {
    this.#sockets.delete(socket);
    this.#logins.delete(socket);
  }

  #answer(socket: Socket, request: Reader): void {
    const [key, version, correlation] = [request.int16(), request.int16(), request.int32()];
    request.text();
    const answer = new Writer().int32(correlation);
    const known = served.some(([one, only]) => one === key && only === version);
    if (!known) this.#versions(answer, errors.unsupportedVersion, false);
    else if (key === keys.versions) this.#versions(answer, errors.none, true);
    else if (key === keys.metadata) this.#metadata(request, answer);
    else if (key === keys.handshake) this.#handshake(socket, request, answer);
    else if (key === keys.login) this.#login(socket, request, answer);
    else if (key === keys.producer) this.#begin(answer);
    else if (!this.#produce(request, answer)) return void socket.destroy();
    socket.write(answer.framed());
  }

  /** Gives a producer an ID of its own. */
  #begin(answer: Writer): void {
    this.#producers += 1;
    answer.int32(0).int16(errors.none).int64(BigInt(this.#producers)).int16(0);
  }

  #versions(answer: Writer, error: number, isWhole: boolean): void {
    answer.int16(error).array(served, (to, [key, version]) => to.int16(key).int16(version).int16(version));
    if (isWhole) answer.int32(0);
  }

  #handshake(socket: Socket, request: Reader, answer: Writer): void {
    this.#logins.set(socket, request.text() === "PLAIN" ? "PLAIN" : new ScramLogin(rightUser, password));
    answer.int16(errors.none).array(mechanisms, (to, name) => to.text(name));
  }

  #login(socket: Socket, request: Reader, answer: Writer): void {
    const [said, login] = [request.bytes().toString(), this.#logins.get(socket)];
    const plain = said === `\0${rightUser}\0${password}` ? "" : undefined;
    const answered = login instanceof ScramLogin ? login.answer(said) : plain;
    answer
      .int16(answered === undefined ? errors.wrongLogin : errors.none)
      .text(answered === undefined ? "wrong password" : null)
      .bytes(Buffer.from(answered ?? ""));
  }

  #metadata(request: Reader, answer: Writer): void {
    const topics = request.array((from) => from.text()!);
    answer.array([1], (to) => to.int32(1).text(this.#host).int32(this.port).text(null)).int32(1);
    answer.array(topics, (to, name) => {
      const isKnown = name === this.topic;
      to.int16(isKnown ? errors.none : errors.unknownTopic)
        .text(name)
        .int8(0);
      to.array(isKnown ? [...this.partitions.keys()] : [], (at, index) => {
        at.int16(errors.none).int32(index).int32(1);
        at.array([1], (one) => one.int32(1)).array([1], (one) => one.int32(1));
      });
    });
  }

  /** Stores batches. Returns whether it answers. */
  #produce(request: Reader, answer: Writer): boolean {
    request.text();
    request.int16();
    request.int32();
    const topics = request.array((from) => ({
      name: from.text()!,
      stored: from.array((at) => ({ index: at.int32(), error: errors.none as number, batch: readBatch(at.bytes()) })),
    }));
    for (const one of topics.flatMap(({ stored }) => stored)) one.error = this.#store(one.index, one.batch);
    answer.array(topics, (to, { name, stored }) =>
      to.text(name).array(stored, (at, { index, error }) => at.int32(index).int16(error).int64(0n).int64(-1n)),
    );
    answer.int32(0);
    this.answersLost -= 1;
    return this.answersLost < 0;
  }

  /** A batch that an idempotent producer sends again is not stored again. */
  #store(index: number, { producerId, sequence, records }: ReturnType<typeof readBatch>): number {
    const key = `${producerId} ${index}`;
    const next = this.#sequences.get(key) ?? 0;
    if (sequence > next) return errors.outOfOrder;
    if (sequence < next) return errors.none;
    this.#sequences.set(key, sequence + records.length);
    this.partitions[index]!.push(...records);
    return errors.none;
  }
}
