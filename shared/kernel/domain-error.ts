import { type ErrorCode, errorCodes } from "./error-codes.ts";

/** An invalid field, as in `error.details` of a VALIDATION_ERROR. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A serializable error, without a stack, that can cross an edge or a process boundary. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly FieldError[];
  /** Seconds to wait before retrying. */
  readonly retryAfter?: number;
}

/**
 * An expected error. Thrown by rules, policies, and commands, and converted to an envelope in one place at each edge. Any
 * other exception is a bug and becomes INTERNAL_ERROR.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details?: readonly FieldError[];
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message?: string, extra: { details?: readonly FieldError[]; retryAfter?: number } = {}) {
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

/** The result of a call across processes: a value or an error. */
export type Result<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure);

/** Returns the value of a result, or throws its error. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw DomainError.from(result);
}
