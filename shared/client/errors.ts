import type { ServerErrorCode } from "./social.generated.ts";

/**
 * Errors that no server sends. `LOGGED_OUT`: the call needs a user. `LEFT_ROOM`: the room has ended for this client.
 */
export type ClientErrorCode = "NETWORK_ERROR" | "TIMEOUT" | "LOGGED_OUT" | "LEFT_ROOM";

export type ErrorCode = ServerErrorCode | ClientErrorCode;

/** What is wrong with a field of the input. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What an error says besides its code and its message. */
export interface ErrorFacts {
  /** HTTP status; undefined for errors over the socket and of the client itself. */
  readonly status?: number | undefined;
  readonly details?: readonly FieldError[] | undefined;
  readonly docUrl?: string | undefined;
  readonly requestId?: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number | undefined;
}

/** A failed call. Handle it by `code`; `message` is for people. */
export class HubbubError<Code extends string = ErrorCode> extends Error {
  override readonly name = "HubbubError";
  readonly code: Code;
  readonly status: number | undefined;
  /** For VALIDATION_ERROR: one entry for each invalid field. */
  readonly details: readonly FieldError[];
  readonly docUrl: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: Code, message: string, facts: ErrorFacts = {}) {
    super(message);
    this.code = code;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.docUrl = facts.docUrl;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }
}

/** The failure of an envelope, as a server sends it. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly doc_url?: string;
  readonly details?: readonly FieldError[];
  readonly request_id?: string;
}

export const toHubbubError = (failure: Failure, facts: ErrorFacts = {}): HubbubError =>
  new HubbubError(failure.code as ErrorCode, failure.message, {
    details: failure.details,
    docUrl: failure.doc_url,
    requestId: failure.request_id,
    ...facts,
  });

/** An error for each code, so that `error.code` narrows it. */
export type ErrorOf<Code extends string> = Code extends string ? HubbubError<Code> : never;

declare const codes: unique symbol;

/** The promise of a call. It knows, as a type only, the codes that it can fail with. */
export type Call<Data, Code extends string = ErrorCode> = Promise<Data> & { readonly [codes]?: Code };

export type Outcome<Data, Code extends string> =
  | { readonly data: Data; readonly error?: undefined }
  | { readonly data?: undefined; readonly error: ErrorOf<Code | ClientErrorCode> };

/**
 * Returns the data or the error of a call. The error is a union by `code` of exactly those that this call can fail
 * with.
 * @throws what is no `HubbubError`
 */
export async function outcome<Data, Code extends string>(call: Call<Data, Code>): Promise<Outcome<Data, Code>> {
  try {
    return { data: await call };
  } catch (error) {
    if (error instanceof HubbubError) return { error: error as unknown as ErrorOf<Code | ClientErrorCode> };
    throw error;
  }
}

/** Returns whether something thrown is an error of a call, with one of these codes if any are given. */
export const isHubbubError = <Code extends ErrorCode = ErrorCode>(
  thrown: unknown,
  ...wanted: readonly Code[]
): thrown is HubbubError<Code> =>
  thrown instanceof HubbubError && (wanted.length === 0 || wanted.includes(thrown.code as Code));
