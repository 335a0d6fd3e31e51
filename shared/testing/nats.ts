import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { freePort } from "./free-port.ts";

/** A NATS server with a stream that takes `EVENTS.>`, on a free port of 127.0.0.1. */
export class TestNats {
  readonly #folder: string;
  readonly #port: number;
  #end: () => Promise<void> = async () => {};

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async start(): Promise<TestNats> {
    const nats = new TestNats(await mkdtemp(join(tmpdir(), "nats-")), await freePort());
    await nats.restart();
    const connection = await connect({ servers: nats.#address });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: "EVENTS", subjects: ["EVENTS.>"] });
    await connection.close();
    return nats;
  }

  get #address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The URL of its stream, for `EVENT_SINKS`. */
  get url(): string {
    return `nats://${this.#address}/EVENTS`;
  }

  async restart(): Promise<void> {
    const args = ["-js", "-sd", this.#folder, "-a", "127.0.0.1", "-p", `${this.#port}`];
    const child = spawn("nats-server", args, { stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(child, "exit");
    this.#end = async () => {
      child.kill("SIGKILL");
      await ended;
    };
    for await (const line of createInterface({ input: child.stderr })) if (line.includes("Server is ready")) break;
    child.stderr.resume();
  }

  async kill(): Promise<void> {
    await this.#end();
  }

  /** Returns all messages of the stream in their order, with their subjects. */
  async messages<T>(): Promise<{ subject: string; message: T }[]> {
    const connection = await connect({ servers: this.#address });
    try {
      const { streams } = await jetstreamManager(connection);
      const { state } = await streams.info("EVENTS");
      const found: { subject: string; message: T }[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
        const stored = await streams.getMessage("EVENTS", { seq });
        if (stored) found.push({ subject: stored.subject, message: stored.json<T>() });
      }
      return found;
    } finally {
      await connection.close();
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true });
  }
}
