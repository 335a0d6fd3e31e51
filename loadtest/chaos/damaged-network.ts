import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A connection through the proxy, and whether it is still forwarded. */
interface Link {
  /** The process's end, and the server's. */
  readonly near: Socket;
  readonly far: Socket;
  isDead: boolean;
}

/**
 * A TCP proxy on a free port of 127.0.0.1 that damages the network between a process and a server. `port` returns the
 * server's port, which may change when the server is restarted.
 */
export class DamagedNetwork {
  readonly #server: Server;
  readonly #port: () => number;
  readonly #links = new Set<Link>();
  #mode: "open" | "cut" | "silent" = "open";
  #delayMs = 0;

  private constructor(port: () => number) {
    this.#port = port;
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  static async start(port: () => number): Promise<DamagedNetwork> {
    const proxy = new DamagedNetwork(port);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Delays everything, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Closes all connections, and new ones at once. */
  cut(): void {
    this.#mode = "cut";
    for (const { near, far } of this.#links) {
      near.destroy();
      far.destroy();
    }
  }

  /** Forwards nothing more, neither data nor the ends of connections, so that both sides believe they are connected. */
  silence(): void {
    this.#mode = "silent";
    for (const link of this.#links) link.isDead = true;
  }

  /** Forwards new connections again. Silenced ones stay dead. */
  heal(): void {
    this.#mode = "open";
    this.#delayMs = 0;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(near: Socket): void {
    if (this.#mode === "cut") return void near.destroy();
    const far = connect({ port: this.#port(), host: "127.0.0.1", noDelay: true });
    const link: Link = { near, far, isDead: this.#mode === "silent" };
    this.#links.add(link);
    this.#forward(link, near, far);
    this.#forward(link, far, near);
    near.once("close", () => {
      this.#links.delete(link);
      if (link.isDead) far.destroy();
    });
  }

  #forward(link: Link, from: Socket, to: Socket): void {
    /** What is on its way; null is the end. */
    const waiting: { readonly dueMs: number; readonly chunk: Buffer | null }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const flush = () => {
      timer = undefined;
      while (waiting[0] && waiting[0].dueMs <= performance.now()) {
        const { chunk } = waiting.shift()!;
        if (chunk) to.write(chunk);
        else to.destroySoon();
      }
      if (waiting[0]) timer = setTimeout(flush, Math.max(0, waiting[0].dueMs - performance.now()));
    };
    const send = (chunk: Buffer | null) => {
      if (link.isDead) return;
      waiting.push({ dueMs: performance.now() + this.#delayMs, chunk });
      if (!timer) flush();
    };
    from.on("data", send);
    from.on("error", () => {}); // It closes then.
    from.on("close", () => send(null));
  }
}
