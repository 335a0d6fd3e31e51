import { type ErrorCode, errorCodes } from "./error-codes.ts";

/** One field at fault, as `error.details` of a VALIDATION_ERROR shows it. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** What travels when a failure crosses an edge or a process: plain values, no stack. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly FieldFault[];
  /** Seconds after which another try makes sense. */
  readonly retryAfter?: number;
}

/**
 * An expected refusal. Thrown by rules, policies and commands, turned into an envelope in one place at each edge.
 * Anything else that is thrown is a fault of ours and becomes INTERNAL_ERROR.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details?: readonly FieldFault[];
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message?: string, extra: { details?: readonly FieldFault[]; retryAfter?: number } = {}) {
    super(message ?? errorCodes[code].meaning);
    this.name = "DomainError";
    this.code = code;
    if (extra.details) this.details = extra.details;
    if (extra.retryAfter !== undefined) this.retryAfter = extra.retryAfter;
  }

  get status(): number {
    return errorCodes[this.code].status;
  }

  toFailure(): Failure {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }

  static from(failure: Failure): DomainError {
    return new DomainError(failure.code, failure.message, failure);
  }
}

/** The answer to something asked across a process: a value, or a refusal as a value. */
export type Result<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure);

/** Takes the value out of a result, or throws its refusal. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw DomainError.from(result);
}
