import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The HTTP interface of ClickHouse, as its documents describe it, with one table. */
export class FakeClickHouse {
  readonly rows: Record<string, unknown>[] = [];
  /** How the next inserts fail: before they are stored, or after, so that the answer is lost. */
  readonly failures: ("before" | "after")[] = [];
  readonly #tokens = new Set<string>();
  readonly #server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const query = new URL(req.url!, "http://here").searchParams;
    const failure = this.failures.shift();
    if (req.headers["x-clickhouse-user"] !== "writer" || req.headers["x-clickhouse-key"] !== "p@ss")
      return res.writeHead(403, { "x-clickhouse-exception-code": "516" }).end("Code: 516. Authentication failed");
    if (query.get("query") !== "INSERT INTO hubbub.events (id, type, key, timestamp, data) FORMAT JSONEachRow")
      return res.writeHead(404, { "x-clickhouse-exception-code": "60" }).end("Code: 60. Table doesn't exist");
    if (failure === "before")
      return res.writeHead(500, { "x-clickhouse-exception-code": "241" }).end("Code: 241. Memory limit exceeded");

    const token = query.get("insert_deduplication_token") ?? "";
    if (!this.#tokens.has(token))
      for (const line of Buffer.concat(chunks).toString().split("\n").filter(Boolean)) this.rows.push(JSON.parse(line));
    this.#tokens.add(token);
    if (failure === "after") return req.socket.destroy();
    return res.writeHead(200).end();
  });

  static async start(): Promise<FakeClickHouse> {
    const fake = new FakeClickHouse();
    fake.#server.listen(0, "127.0.0.1");
    await once(fake.#server, "listening");
    return fake;
  }

  /** The URL of its table, for `EVENT_SINKS`. */
  get url(): string {
    return `clickhouse+http://writer:p%40ss@127.0.0.1:${(this.#server.address() as AddressInfo).port}/hubbub.events`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
