import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** A received email. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The raw message: headers, an empty line, the body. */
  readonly data: string;
}

/**
 * A fake mail server on loopback: implements SMTP (RFC 5321) without TLS, and keeps all messages. `refuse` rejects the
 * next recipients and repeats the address in the error, like real servers.
 */
export class FakeSmtp {
  readonly mails: TakenMail[] = [];
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #failures = 0;

  static async start(): Promise<FakeSmtp> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeSmtp(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => void this.#talk(socket));
  }

  refuse(times: number): void {
    this.#failures = times;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #talk(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    const say = (line: string) => socket.write(`${line}\r\n`);
    let [from, to]: [string, string[]] = ["", []];
    let data: string[] | undefined;
    say("220 fake.example ESMTP");
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (data && line !== ".") {
        data.push(line.startsWith(".") ? line.slice(1) : line);
        continue;
      }
      const address = /<([^>]*)>/.exec(line)?.[1] ?? "";
      switch (data ? "." : line.slice(0, 4).toUpperCase()) {
        case "EHLO":
        case "HELO":
        case "NOOP":
          say("250 fake.example");
          break;
        case "MAIL":
          [from, to] = [address, []];
          say("250 2.1.0 go on");
          break;
        case "RCPT":
          if (this.#failures > 0) {
            this.#failures -= 1;
            say(`451 4.2.1 <${address}> is busy`);
            break;
          }
          to.push(address);
          say("250 2.1.5 go on");
          break;
        case "DATA":
          data = [];
          say("354 go on");
          break;
        case ".":
          this.mails.push({ from, to, data: (data ?? []).join("\n") });
          data = undefined;
          say("250 2.0.0 taken");
          break;
        case "RSET":
          say("250 2.0.0 forgotten");
          break;
        case "QUIT":
          say("221 2.0.0 bye");
          socket.end();
          break;
        default:
          say("502 5.5.2 not understood");
      }
    }
  }
}
