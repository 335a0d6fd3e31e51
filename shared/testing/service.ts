import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import jwt from "jsonwebtoken";
import { stopReadingMedia } from "#shared/domain/base/media/process-media.ts";
import { makeSandboxKyc } from "#shared/domain/identity/kyc/kyc-provider.ts";
import { makeSandboxPayouts } from "#shared/domain/money/payouts/providers/sandbox-payouts.ts";
import { moneyOfAccounts } from "#shared/domain/money/signup/signup-bonus.ts";
import { configureAuditSigning } from "#shared/domain/operations/admins/signed-heads.ts";
import { adminApi } from "../../api/admin-api.ts";
import type { Api } from "../../api/http/api.ts";
import { socialApi } from "../../api/social-api.ts";
import { configureDomain } from "../main/configure-domain.ts";
import { mediaSetup } from "../main/media-setup.ts";
import { startParts } from "../main/service.ts";
import { Parts } from "../start/parts.ts";
import { testSecret } from "./access/access-tokens.ts";
import { checkAudit } from "./check-audit.ts";
import { checkResponse, routeOf } from "./check-response.ts";
import { useDatabase } from "./database.ts";
import { sandboxSecrets } from "./fakes/sandbox-payments.ts";
import { noEngine } from "./no-engine.ts";

export { noEngine };

export interface CallOptions {
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields of responses.
  body: any;
  headers: Headers;
}

/** Where media of this test process are. */
export const mediaFolder = mkdtempSync(join(tmpdir(), "hubbub-test-media-"));
process.once("exit", () => rmSync(mediaFolder, { recursive: true, force: true }));

export const testMedia = mediaSetup({ media: { folder: mediaFolder } }, testSecret);

export const testPayouts = [makeSandboxPayouts(sandboxSecrets.webhookSecrets)];

// The default in tests; a test that changes a part puts it back.
const auditFolder = mkdtempSync(join(tmpdir(), "hubbub-heads-"));
process.once("exit", () => rmSync(auditFolder, { recursive: true, force: true }));
configureAuditSigning({ secrets: ["a secret of the tests that signs heads"], folder: auditFolder });
configureDomain({
  accessTokens: testSecret,
  accounts: moneyOfAccounts,
  evidence: undefined,
  fulfilment: undefined,
  googlePlay: undefined,
  eventSinks: [],
  judge: undefined,
  kyc: makeSandboxKyc(sandboxSecrets.webhookSecrets),
  limits: { enabled: false },
  mail: { keepsUnsent: true },
  media: testMedia,
  openId: [],
  payments: { provider: "sandbox", sandbox: sandboxSecrets },
  payouts: testPayouts,
  push: undefined,
  resetLink: undefined,
  settings: { production: false },
  stores: {},
  voice: undefined,
  webhooks: { allowLoopback: true },
});

let started: ReturnType<typeof startHere> | undefined;

export type ApiClient = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** Encodes a body: an object as JSON, or as a form if the API or the call says so; anything else as it is. */
function encoded(body: unknown, contentType: string): string | FormData | URLSearchParams {
  if (body instanceof FormData || body instanceof URLSearchParams || typeof body === "string") return body;
  if (contentType !== "application/x-www-form-urlencoded") return JSON.stringify(body);
  return new URLSearchParams(body as Record<string, string>);
}

/**
 * Returns a client of the API at `url`. Without a `content-type` header, it sends the first that the API accepts. It
 * checks every response against the entry of its route (see `checkResponse`), and what calls of an admin API leave in
 * the audit log (see `checkAudit`).
 */
export const clientOf =
  (url: string, api: Api): ApiClient =>
  async (method, path, options = {}) => {
    const { body, token } = options;
    const headers = { ...(token && api.credentials.headersOf(token)), ...options.headers };
    const type = headers["content-type"] ?? api.bodies.contentTypes[0]!;
    const isForm = body instanceof FormData || body instanceof URLSearchParams;
    if (body !== undefined && !isForm) headers["content-type"] = type;

    const response = await fetch(`${url}${api.basePath}${path}`, {
      method: method.toUpperCase(),
      headers,
      ...(body !== undefined && { body: encoded(body, type) }),
    });
    const isCsv = response.headers.get("content-type")?.startsWith("text/csv");
    const answered = isCsv ? await response.text() : await response.json();
    const answer = { status: response.status, body: answered, headers: response.headers };
    const route = routeOf(api.routes, method, path);
    if (route && !(isCsv && route.csv)) checkResponse(api, route, answer);
    const byUser = route?.auth === "user_or_admin" && jwt.decode(token!, { json: true })?.aud === "user";
    if (route?.permission && !byUser && response.ok) await checkAudit(api, route, { ...options, path }, answer);
    return answer;
  };

/** The running service of this test process, started by the first `describe` that uses it. */
export function useService() {
  useDatabase();
  let social: Api;
  const admin = adminApi({ actors: noEngine });
  const service = {
    url: "",
    actors: noEngine,
    call: (...call: Parameters<ApiClient>) => clientOf(service.url, social)(...call),
    /** Calls the admin API. */
    admin: (...call: Parameters<ApiClient>) => clientOf(service.url, admin)(...call),
  };
  before(async () => {
    started ??= startHere();
    const { url, actors } = await started;
    social = socialApi({ actors });
    Object.assign(service, { url, actors });
  });
  after(stopReadingMedia);
  return service;
}

/** Starts the whole service in this process, on the database of `useDatabase`. It stops with the process. */
const startHere = () =>
  startParts(
    {
      environment: "test",
      roles: ["api", "engine", "jobs"],
      host: "127.0.0.1",
      port: 0,
      corsOrigins: ["*"],
      adminCorsOrigins: [],
      trustedProxies: [],
      rateLimits: false,
      drainMs: 0,
    },
    new Parts(),
  );
