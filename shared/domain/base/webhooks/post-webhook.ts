import { type LookupAddress, lookup as lookUp } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { isInternetAddress, isLinkLocalAddress, isLoopbackAddress } from "#shared/kernel/internet-address.ts";

const urlMax = 500;

type Resolve = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

interface WebhookSetup {
  /** Allows this machine, also without TLS: for development and tests. */
  readonly allowLoopback: boolean;
  /** Returns all addresses of a name. Default: the system's. */
  readonly resolve?: Resolve;
  /** How long a server has to answer, milliseconds. Default: 10,000. */
  readonly answerWithinMs?: number;
}

const ofSystem: Resolve = (name, done) => lookUp(name, { all: true }, (error, found) => done(error, found ?? []));
const usual = { resolve: ofSystem, answerWithinMs: 10_000 };
let setup: Required<WebhookSetup> = { ...usual, allowLoopback: false };

/** Sets where webhooks may go. Called at the start; by default, only to the internet. */
export function configureWebhooks(chosen: WebhookSetup): void {
  setup = { ...usual, ...chosen };
}

/** Where requests may go: those of the operator also into their own network, but not to what a cloud says of it. */
export type Reach = "internet" | "own network";

const isAllowed = (address: string, reach: Reach): boolean =>
  reach === "own network"
    ? !isLinkLocalAddress(address)
    : isInternetAddress(address) || (setup.allowLoopback && isLoopbackAddress(address));

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");

/**
 * Returns what is wrong with the URL of a webhook; undefined if it is right. Names are only resolved when it is called.
 */
export function problemOfUrl(text: string, reach: Reach = "internet"): string | undefined {
  const url = URL.parse(text);
  if (!url || text.length > urlMax) return "The URL must be a URL of at most 500 characters.";
  if (url.username || url.password || url.hash) return "The URL must have no user name, password, or fragment.";
  const host = hostOf(url);
  if (isIP(host) && !isAllowed(host, reach))
    return reach === "internet" ? "The URL must point to a public address." : "The URL must not be link-local.";
  const isPlain = url.protocol === "http:" && (setup.allowLoopback || reach === "own network");
  return url.protocol === "https:" || isPlain ? undefined : "The URL must begin with https://.";
}

/** Why no request was sent, or none was answered. Its message is shown to the owner of the endpoint. */
export class UndeliverableError extends Error {}

/** Resolves a name for a connection. All its addresses are checked, and the connection uses one of those. */
const checkedLookup =
  (reach: Reach): LookupFunction =>
  (name, { all }, done) => {
    setup.resolve(name, (error, addresses) => {
      const [first] = addresses;
      if (error || !first) return done(new UndeliverableError("The host name can't be resolved."), "");
      if (!addresses.every(({ address }) => isAllowed(address, reach)))
        return done(new UndeliverableError("The host name has an address that isn't of the internet."), "");
      if (all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };

/**
 * Posts JSON to another's server and returns the status of its answer. Redirects aren't followed, and the answer
 * isn't read: what is behind an address can't be found out through us.
 * @throws UndeliverableError
 */
export const postWebhook = (
  address: string,
  headers: Record<string, string>,
  body: string,
  reach: Reach = "internet",
): Promise<number> =>
  exchange(address, headers, body, { reach, withinMs: setup.answerWithinMs }, async (answer) => {
    answer.destroy();
    return answer.statusCode ?? 0;
  });

/** The longest answer that is read, characters. */
const answerMax = 16_384;

/**
 * Posts JSON to a server of the operator, and returns its answer: it decides something.
 * @throws UndeliverableError
 */
export const askWebhook = (
  address: string,
  headers: Record<string, string>,
  body: string,
  reach: Reach,
  withinMs: number,
): Promise<{ readonly status: number; readonly text: string }> =>
  exchange(address, headers, body, { reach, withinMs }, async (answer) => {
    let text = "";
    for await (const part of answer.setEncoding("utf8")) {
      text += part;
      if (text.length > answerMax) throw new UndeliverableError("The answer is too long.");
    }
    return { status: answer.statusCode ?? 0, text };
  });

function exchange<T>(
  address: string,
  headers: Record<string, string>,
  body: string,
  { reach, withinMs }: { readonly reach: Reach; readonly withinMs: number },
  read: (answer: http.IncomingMessage) => Promise<T>,
): Promise<T> {
  const problem = problemOfUrl(address, reach);
  if (problem) return Promise.reject(new UndeliverableError(problem));
  const url = new URL(address);
  const { request } = url.protocol === "https:" ? https : http;

  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-length": `${Buffer.byteLength(body)}` },
      // A connection of its own: the addresses of each are checked.
      agent: false,
      lookup: checkedLookup(reach),
      signal: AbortSignal.timeout(withinMs),
    });
    sent.on("response", (answer) => void read(answer).then(resolve, reject));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      if (error instanceof UndeliverableError) return reject(error);
      const why = error.name === "AbortError" || error.name === "TimeoutError" ? "no answer in time" : error.code;
      reject(new UndeliverableError(`The connection failed: ${why ?? "unknown error"}.`));
    });
    sent.end(body);
  });
}
