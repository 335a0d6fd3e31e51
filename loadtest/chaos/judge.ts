import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

/** What the judge does with a question: `hangs` never answers, `dead` ends the connection. */
export type JudgeMood = "well" | "late" | "hangs" | "dead";

/** The word that the judge knows. */
export const spamWord = "spam";
/** Less than the processes wait for. */
const lateMs = 1500;

/** The judge of what people write. */
export class Judge {
  readonly secret = `whsec_${Buffer.from("the secret of the judge in chaos").toString("base64")}`;
  mood: JudgeMood = "well";
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", async (req, res) => {
      const { text } = (await json(req).catch(() => ({ text: "" }))) as { text: string };
      if (this.mood === "dead") return void res.destroy();
      if (this.mood === "hangs") return;
      if (this.mood === "late") await pause(lateMs);
      res.end(JSON.stringify({ labels: { spam: text.includes(spamWord) ? 0.95 : 0.01 } }));
    });
  }

  static async start(): Promise<Judge> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Judge(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/judge`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
