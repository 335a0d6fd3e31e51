import { type Call, type Failure, HubbubError, toHubbubError } from "./errors.ts";
import { repeated, type TokenSource } from "./repeat.ts";
import { newKey } from "./timing.ts";

/** What an API can do, by operation ID: see `Operations`. */
export type OperationTypes = object;

interface Shape {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly data: unknown;
  readonly errors: string;
}

export type Data<Ops, Op extends keyof Ops> = Ops[Op] extends { readonly data: infer D } ? D : never;
export type Codes<Ops, Op extends keyof Ops> = Ops[Op] extends { readonly errors: infer E extends string } ? E : never;
/** The input of an operation. What it doesn't have can't be given. */
export type InputOf<Ops, Op extends keyof Ops> = Omit<Ops[Op], "data" | "errors"> & CallOptions;
export type Answer<Ops, Op extends keyof Ops> = Call<Data<Ops, Op>, Codes<Ops, Op>>;

export interface CallOptions {
  /** Instead of a new one. Send the same to repeat a call after a restart of the program. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Repeats the call if its answer was lost, because it has no second effect. Reads are repeated without it. */
  readonly repeat?: boolean | undefined;
  /** Limit of one attempt, milliseconds, instead of the client's: a download takes longer. */
  readonly timeout?: number | undefined;
}

export interface RestOptions {
  /** The address of the API, such as `https://hubbub.example/api/v1`. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Limit of one attempt, milliseconds. */
  readonly timeout: number;
  /** How often a call is repeated that may be. */
  readonly retries: number;
  /** The language of messages, asked for at each call. */
  readonly language?: (() => string) | undefined;
}

interface Request extends CallOptions {
  readonly timeout: number;
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly contentType: string;
  readonly key: string | undefined;
}

/** Calls the operations of an API: finds the path, sends the token, repeats what may be repeated. */
export class Rest<Ops extends OperationTypes> {
  readonly #operations: Readonly<Record<string, string>>;
  readonly #options: RestOptions;
  readonly #tokens: TokenSource;

  constructor(operations: Readonly<Record<keyof Ops & string, string>>, options: RestOptions, tokens: TokenSource) {
    this.#operations = operations;
    this.#options = options;
    this.#tokens = tokens;
  }

  /**
   * Calls an operation. Reads, and calls with an idempotency key, a `client_id`, or an `action_id`, are repeated if
   * their answer was lost; others only if they certainly had no effect.
   * @throws HubbubError
   */
  readonly request = <Op extends keyof Ops & string>(
    operation: Op,
    ...[input]: object extends InputOf<Ops, Op> ? [input?: InputOf<Ops, Op>] : [input: InputOf<Ops, Op>]
  ): Answer<Ops, Op> => this.#perform(operation, (input ?? {}) as Partial<Shape> & CallOptions) as Answer<Ops, Op>;

  /** All items of a list, page by page or by cursor. */
  readonly each = <Op extends keyof Ops & string>(
    operation: Op,
    ...[input]: object extends InputOf<Ops, Op> ? [input?: InputOf<Ops, Op>] : [input: InputOf<Ops, Op>]
  ): AsyncGenerator<Item<Data<Ops, Op>>> =>
    this.#items(operation, (input ?? {}) as Partial<Shape> & CallOptions) as AsyncGenerator<Item<Data<Ops, Op>>>;

  async *#items(operation: string, { query, ...rest }: Partial<Shape> & CallOptions): AsyncGenerator<unknown> {
    for (let next: object | undefined = {}; next; ) {
      const page = (await this.#perform(operation, { ...rest, query: { ...(query as object), ...next } })) as Page;
      yield* page.items;
      next = nextOf(page);
    }
  }

  async #perform(operation: string, input: Partial<Shape> & CallOptions): Promise<unknown> {
    const line = this.#operations[operation];
    if (!line) throw new TypeError(`There is no operation ${operation}.`);
    const [, mark, method = "", path = ""] = /^(!?)(\w+) (.*)$/.exec(line) ?? [];
    const isFile = typeof input.body === "string";
    const request: Request = {
      headers: input.headers,
      signal: input.signal,
      timeout: input.timeout ?? this.#options.timeout,
      method: method.toUpperCase(),
      url: this.#options.url + filled(path, input.params) + queryOf(input.query),
      body: input.body === undefined || isFile ? input.body : JSON.stringify(input.body),
      contentType: isFile ? "text/csv" : "application/json",
      key: mark ? (input.idempotencyKey ?? newKey()) : undefined,
    };
    const isRepeatable = input.repeat ?? isHarmless(request, input.body);
    return repeated(this.#tokens, { retries: this.#options.retries, isRepeatable }, (token) =>
      this.#attempt(request, token),
    );
  }

  async #attempt(request: Request, token: string | null): Promise<unknown> {
    const { signal, timeout, method, url, body, contentType, key } = request;
    const headers: Record<string, string> = { ...request.headers };
    const language = this.#options.language?.();
    if (language) headers["accept-language"] = language;
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers["content-type"] = contentType;
    if (key !== undefined) headers["idempotency-key"] = key;

    const abort = new AbortController();
    const stop = () => abort.abort();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener("abort", stop);
    try {
      const response = await this.#options.fetch(url, {
        method,
        headers,
        signal: abort.signal,
        ...(body !== undefined && { body }),
      });
      return await read(response);
    } catch (error) {
      if (error instanceof HubbubError) throw error;
      // The caller gets their own reason.
      if (signal?.aborted) throw signal.reason;
      if (abort.signal.aborted) throw new HubbubError("TIMEOUT", `No answer within ${timeout} ms.`);
      const reason = error instanceof Error ? ` (${error.message})` : "";
      throw new HubbubError(
        "NETWORK_ERROR",
        `${url.replace(/\?.*/, "")} can't be reached${reason}. Is the service running?`,
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}

interface Page {
  readonly items: readonly unknown[];
  readonly next_before?: string | null;
  readonly page?: number;
  readonly total_pages?: number;
}

/** Returns what the query of the next page has; undefined after the last one. */
function nextOf({ items, next_before, page = 1, total_pages = 1 }: Page): object | undefined {
  if (items.length === 0) return undefined;
  if (next_before !== undefined) return next_before === null ? undefined : { before: next_before };
  return page < total_pages ? { page: page + 1 } : undefined;
}

type Item<Data> = Data extends { readonly items: readonly (infer I)[] } ? I : never;

/**
 * Reads a response: the data in its envelope, or the text of a CSV file. Without either, it comes from something before
 * the server, such as a proxy. @throws HubbubError
 */
async function read(response: Response): Promise<unknown> {
  if (response.ok && response.headers.get("content-type")?.startsWith("text/csv")) return response.text();
  const facts = { status: response.status, retryAfter: Number(response.headers.get("retry-after")) || undefined };
  const envelope = parsed(await response.text());
  if (envelope?.success === true) return envelope.data;
  if (envelope?.error?.code) throw toHubbubError(envelope.error, facts);
  throw new HubbubError("NETWORK_ERROR", `The server can't be reached: HTTP ${response.status}.`, facts);
}

function parsed(text: string): { success?: boolean; data?: unknown; error?: Failure } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function filled(path: string, params: unknown): string {
  return path.replace(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name] ?? "")),
  );
}

function queryOf(query: unknown): string {
  const fields = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  const words = fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return words.length > 0 ? `?${words.join("&")}` : "";
}

/** Returns whether a call that had its effect already has no other the second time. */
function isHarmless({ method, key, headers }: Request, body: unknown): boolean {
  if (method === "GET" || method === "PUT" || key !== undefined) return true;
  if (method === "PATCH") return !Object.keys(headers ?? {}).some((name) => name.toLowerCase() === "if-match");
  const { client_id, action_id } = (body ?? {}) as { client_id?: unknown; action_id?: unknown };
  return client_id !== undefined || action_id !== undefined;
}
