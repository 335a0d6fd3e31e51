import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FcmConfig } from "#shared/domain/identity/push/fcm.ts";
import { newId } from "#shared/kernel/ids.ts";
import { readBody } from "#shared/testing/clients/read-body.ts";
import { until } from "#shared/testing/until.ts";
import { FakeGoogleTokens } from "./google-tokens.ts";

export interface FakePush {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body: string };
  readonly data: Readonly<Record<string, string>>;
  readonly android: { readonly notification: { readonly tag: string } };
  readonly apns: { readonly headers: Readonly<Record<string, string>> };
}

/** How a call fails. `hang`: without a response. The `_short` forms are those of recent reports of FCM's SDKs. */
export type FakeFailure =
  | number
  | "hang"
  | "unregistered"
  | "unregistered_short"
  | "invalid_token"
  | "invalid_token_short"
  | "wrong_project"
  | "invalid_argument"
  | { readonly status: 429 | 503; readonly retryAfter: string };

const scope = "https://www.googleapis.com/auth/firebase.messaging";

/** A fake Google server on loopback: issues access tokens for signed assertions, and accepts push messages. */
export class FakeFcm {
  readonly config: FcmConfig;
  /** Accepted push messages. */
  readonly taken: FakePush[] = [];
  /** Device tokens and statuses of all calls, in order. Status 0: no response. */
  readonly calls: { readonly token: string; readonly status: number }[] = [];
  readonly tokens: FakeGoogleTokens;
  readonly #server: Server;
  /** The failures of the next calls, by device token. */
  readonly #failures = new Map<string, FakeFailure[]>();

  static async start(): Promise<FakeFcm> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeFcm(server);
  }

  private constructor(server: Server) {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.tokens = new FakeGoogleTokens(baseUrl, "pushes@hubbub-test.iam.gserviceaccount.com", scope);
    this.config = { projectId: "hubbub-test", ...this.tokens.account, baseUrl };
    this.#server = server;
    server.on("request", (req, res) => void this.#answer(req, res));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The key file of the service account. */
  get keyFile(): object {
    return this.tokens.keyFile(this.config.projectId);
  }

  /** Lets the next calls for a device fail in this order. */
  refuse(deviceToken: string, ...failures: FakeFailure[]): void {
    this.#failures.set(deviceToken, failures);
  }

  pushesTo(deviceToken: string): FakePush[] {
    return this.taken.filter(({ token }) => token === deviceToken);
  }

  /** Waits until a device has received this many messages, and returns them. */
  async next(deviceToken: string, count = 1): Promise<FakePush[]> {
    await until(`${count} pushes to ${deviceToken}`, () => this.pushesTo(deviceToken).length >= count, 15_000);
    return this.pushesTo(deviceToken);
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readBody(req);
    if (body === undefined) return;
    if (req.url === "/token") return reply(res, ...(await this.tokens.give(new URLSearchParams(body))));
    if (req.url !== `/v1/projects/${this.config.projectId}/messages:send`) return reply(res, 404, {});
    const { message } = JSON.parse(body) as { message: FakePush };
    const failure = this.#failures.get(message.token)?.shift();
    const authorised = this.tokens.authorizes(req.headers.authorization);
    const { status, answer, headers } = authorised ? answerTo(failure) : failureOf(401, "UNAUTHENTICATED");
    this.calls.push({ token: message.token, status });
    if (status === 0) return;
    if (status === 200) this.taken.push(message);
    reply(res, status, answer, headers);
  }
}

interface FakeAnswer {
  readonly status: number;
  readonly answer: object;
  readonly headers?: Record<string, string>;
}

const fcmError = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
const badRequest = "type.googleapis.com/google.rpc.BadRequest";
const invalidToken = "The registration token is not a valid FCM registration token";

function answerTo(failure: FakeFailure | undefined): FakeAnswer {
  if (typeof failure === "object") {
    const { status, retryAfter } = failure;
    const code = status === 429 ? "QUOTA_EXCEEDED" : "UNAVAILABLE";
    return { ...failureOf(status, code, "refused", error(code)), headers: { "Retry-After": retryAfter } };
  }
  switch (failure) {
    case undefined:
      return { status: 200, answer: { name: `projects/hubbub-test/messages/${newId()}` } };
    case "hang":
      return { status: 0, answer: {} };
    case "unregistered":
      return failureOf(404, "NOT_FOUND", "Requested entity was not found.", error("UNREGISTERED"));
    case "unregistered_short":
      return failureOf(404, "UNREGISTERED", "NotRegistered");
    case "wrong_project":
      return failureOf(403, "PERMISSION_DENIED", "SenderId mismatch", error("SENDER_ID_MISMATCH"));
    case "invalid_token":
      return invalid(invalidToken, error("INVALID_ARGUMENT"), violation("message.token", "Invalid registration token"));
    case "invalid_token_short":
      return invalid(invalidToken, error("INVALID_ARGUMENT"));
    case "invalid_argument":
      return invalid("Invalid value", error("INVALID_ARGUMENT"), violation("message.data", "Invalid value"));
    default:
      return failureOf(failure, "UNAVAILABLE", "refused", error("UNAVAILABLE"));
  }
}

const error = (errorCode: string) => ({ "@type": fcmError, errorCode });
const violation = (field: string, description: string) => ({
  "@type": badRequest,
  fieldViolations: [{ field, description }],
});
const invalid = (message: string, ...details: object[]) => failureOf(400, "INVALID_ARGUMENT", message, ...details);

const failureOf = (status: number, name: string, message = "refused", ...details: object[]): FakeAnswer => ({
  status,
  answer: { error: { code: status, status: name, message, details } },
});

function reply(res: ServerResponse, status: number, body: object, headers?: Record<string, string>): void {
  res.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
}
