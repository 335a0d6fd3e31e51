import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { clock } from "#shared/kernel/clock.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import type { FakeApple } from "./fake-apple.ts";

type Transaction = ReturnType<FakeApple["transaction"]>;

const pageSize = 20;

/** A fake of Apple's App Store Server API on loopback: what its store has sold, and the notices that it sent. */
export class FakeAppleApi {
  readonly transactions = new Map<string, Transaction>();
  readonly notices: { readonly at: number; readonly signedPayload: string }[] = [];
  readonly privateKey: string;
  isAway = false;
  readonly #apple: FakeApple;
  readonly #server: Server;

  static async start(apple: FakeApple): Promise<FakeAppleApi> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeAppleApi(apple, server);
  }

  private constructor(apple: FakeApple, server: Server) {
    [this.#apple, this.#server] = [apple, server];
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.privateKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    server.on("request", async (req, res) => {
      const body = await readBody(req);
      if (body === undefined) return;
      const { pathname, searchParams } = new URL(req.url!, this.baseUrl);
      const [status, content] = /^Bearer ey/.test(`${req.headers.authorization}`)
        ? await this.#serve(pathname, searchParams, body)
        : [401, {}];
      res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** Sells something, and sends a notice, which tests deliver or not. Returns it, signed. */
  async sell(transaction: Transaction, type: string, notice: object = {}): Promise<string> {
    this.transactions.set(transaction.transactionId, transaction);
    const signedPayload = await this.#apple.sign(await this.#apple.notice(type, { transaction, ...notice }));
    this.notices.push({ at: clock.now(), signedPayload });
    return signedPayload;
  }

  async #serve(path: string, search: URLSearchParams, body: string): Promise<[number, object]> {
    if (this.isAway) return [500, { errorCode: 5000000, errorMessage: "An unknown error occurred." }];
    if (path === "/inApps/v1/notifications/history") {
      const { startDate, endDate } = JSON.parse(body);
      const all = this.notices.filter(({ at }) => at >= startDate && at <= endDate);
      const from = Number(search.get("paginationToken") ?? 0);
      const hasMore = from + pageSize < all.length;
      const notificationHistory = all.slice(from, from + pageSize).map(({ at, signedPayload }) => ({
        signedPayload,
        sendAttempts: [{ attemptDate: at, sendAttemptResult: "TIMED_OUT" }],
      }));
      return [200, { notificationHistory, hasMore, ...(hasMore && { paginationToken: `${from + pageSize}` }) }];
    }
    const known = this.transactions.get(/^\/inApps\/v1\/transactions\/(\w+)$/.exec(path)?.[1] ?? "");
    if (!known) return [404, { errorCode: 4040010, errorMessage: "Transaction id not found." }];
    return [200, { signedTransactionInfo: await this.#apple.sign(known) }];
  }
}
