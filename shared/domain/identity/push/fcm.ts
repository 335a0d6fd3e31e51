import pLimit from "p-limit";
import { clock } from "#shared/kernel/clock.ts";
import { GoogleToken } from "./google-token.ts";
import { type PushContent, PushDelayed, type PushProvider } from "./push.provider.ts";

/** A project of Firebase Cloud Messaging, and its sending service account. */
export interface FcmConfig {
  readonly projectId: string;
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly tokenUrl: string;
  /** Without `/v1`. */
  readonly baseUrl: string;
  /** Timeout of one call, milliseconds; tests shorten it. */
  readonly timeoutMs?: number;
}

const usualTimeoutMs = 5000;
/** The maximum number of concurrent calls of one process. */
const callsMax = 16;
const scope = "https://www.googleapis.com/auth/firebase.messaging";
/** How long a push waits for an offline device, seconds. */
const ttlSeconds = 86_400;
/** The wait after a 429 without `Retry-After`, as FCM's documents ask, and the longest that is honored, seconds. */
const usualWaitSeconds = 60;
const longestWaitSeconds = 3600;

interface FcmError {
  error?: {
    status?: string;
    message?: string;
    details?: { errorCode?: string; fieldViolations?: { field?: string }[] }[];
  };
}

/** Sends pushes by Firebase Cloud Messaging, HTTP v1. */
export class FcmProvider implements PushProvider {
  readonly #url: string;
  readonly #token: GoogleToken;
  readonly #timeoutMs: number;
  readonly #atOnce = pLimit(callsMax);

  constructor({ projectId, baseUrl, timeoutMs = usualTimeoutMs, ...account }: FcmConfig) {
    this.#url = `${baseUrl.replace(/\/+$/, "")}/v1/projects/${projectId}/messages:send`;
    this.#token = new GoogleToken({ ...account, scope }, timeoutMs);
    this.#timeoutMs = timeoutMs;
  }

  async check(): Promise<void> {
    // A new token, because one from before says nothing about now.
    this.#token.drop();
    await this.#token.get();
  }

  send(token: string, content: PushContent): Promise<"sent" | "unknown_device"> {
    return this.#atOnce(() => this.#send(token, content));
  }

  async #send(token: string, content: PushContent): Promise<"sent" | "unknown_device"> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { Authorization: `Bearer ${await this.#token.get()}`, "Content-Type": "application/json" },
      body: JSON.stringify({ message: messageFor(token, content) }),
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const body = await response.text();
    if (response.ok) return "sent";
    if (response.status === 401) this.#token.drop();
    const error = errorIn(body);
    if (meansNoDevice(error)) return "unknown_device";
    const message = `FCM responded ${response.status} ${codeOf(error) ?? error?.status ?? ""}`.trimEnd();
    const waitSeconds = waitAskedBy(response);
    throw waitSeconds === undefined ? new Error(message) : new PushDelayed(message, waitSeconds);
  }
}

function messageFor(token: string, { title, body, data, replaces }: PushContent) {
  return {
    token,
    notification: { title, body },
    data,
    // On Android, the tag replaces: FCM ignores `collapse_key` for messages with a notification.
    android: { priority: "HIGH", ttl: `${ttlSeconds}s`, notification: { tag: replaces } },
    apns: {
      headers: {
        "apns-collapse-id": replaces,
        "apns-priority": "10",
        "apns-expiration": String(Math.floor(clock.now() / 1000) + ttlSeconds),
      },
      payload: { aps: { sound: "default" } },
    },
    webpush: { headers: { TTL: String(ttlSeconds) }, notification: { tag: replaces } },
  };
}

function errorIn(body: string): FcmError["error"] {
  try {
    return (JSON.parse(body) as FcmError).error;
  } catch {
    return undefined; // Not from FCM itself: a proxy's page. The status says enough.
  }
}

const codeOf = (error: FcmError["error"]) => error?.details?.find(({ errorCode }) => errorCode)?.errorCode;

/** Returns how long FCM asks to wait, seconds: `Retry-After` is a number or a date. Undefined if it doesn't ask. */
function waitAskedBy({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const asked = headers.get("retry-after");
  if (asked === null) return status === 429 ? usualWaitSeconds : undefined;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil((Date.parse(asked) - clock.now()) / 1000);
  return Number.isNaN(seconds) ? usualWaitSeconds : Math.min(Math.max(seconds, 1), longestWaitSeconds);
}

/**
 * The app is uninstalled, or its token belongs to another project or is invalid, which FCM says in one of two forms: by
 * the field, or by the message alone. Other errors don't concern the device.
 */
function meansNoDevice(error: FcmError["error"]): boolean {
  const code = codeOf(error) ?? error?.status;
  if (code === "UNREGISTERED" || code === "SENDER_ID_MISMATCH") return true;
  const fields = error?.details?.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)) ?? [];
  const namesToken =
    fields.includes("message.token") || /registration token is not a valid/i.test(error?.message ?? "");
  return code === "INVALID_ARGUMENT" && namesToken;
}
