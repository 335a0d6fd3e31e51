import { type ErrorCode, entryOfCode } from "./error-codes.ts";

/** An invalid field, as in `error.details` of a VALIDATION_ERROR. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What a text's placeholders stand for: `{{name}}`. A `count` chooses the plural of a translation. */
export type Values = Readonly<Record<string, string | number>>;

/** A text in English with its values: what edges translate. */
export interface Text {
  readonly text: string;
  readonly values: Values;
}

/** An invalid field, and its message as a text with values. `{{field}}` is the field. */
export interface FieldText {
  readonly field: string;
  readonly text: string;
  readonly values?: Values;
}

/** A serializable error, without a stack, that can cross an edge or a process boundary. */
export interface Failure {
  readonly code: ErrorCode;
  /** In English. */
  readonly message: string;
  /** What the message was made of; absent if it has no values. */
  readonly text?: Text;
  readonly details?: readonly FieldError[];
  /** What the messages of the details were made of, in their order. */
  readonly detailTexts?: readonly Text[];
  /** Seconds to wait before retrying. */
  readonly retryAfter?: number;
}

/**
 * An expected error. Thrown by rules, policies, and commands, and converted to an envelope in one place at each edge.
 * Any other exception is a bug and becomes INTERNAL_ERROR.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly text?: Text;
  readonly details?: readonly FieldError[];
  readonly detailTexts?: readonly Text[];
  readonly retryAfter?: number;

  /** `message`: a literal, so that a test finds it without a translation. Its placeholders stand for `extra.values`. */
  constructor(
    code: ErrorCode,
    message: string = entryOfCode(code).meaning,
    extra: Omit<Partial<Failure>, "code" | "message"> & { readonly values?: Values } = {},
  ) {
    const { values, text = values && { text: message, values }, details, detailTexts, retryAfter } = extra;
    super(values ? fill(message, values) : message);
    this.name = "DomainError";
    this.code = code;
    if (text) this.text = text;
    if (details) this.details = details;
    if (detailTexts) this.detailTexts = detailTexts;
    if (retryAfter !== undefined) this.retryAfter = retryAfter;
  }

  get status(): number {
    return entryOfCode(this.code).status;
  }

  toFailure(): Failure {
    return {
      code: this.code,
      message: this.message,
      ...(this.text && { text: this.text }),
      ...(this.details && { details: this.details }),
      ...(this.detailTexts && { detailTexts: this.detailTexts }),
      ...(this.retryAfter !== undefined && { retryAfter: this.retryAfter }),
    };
  }

  static from(failure: Failure): DomainError {
    return new DomainError(failure.code, failure.message, failure);
  }
}

/** Replaces the placeholders of a text. */
export const fill = (text: string, values: Values): string =>
  text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));

/** The messages of several fields as one: there may be many. */
export const joinMessages = (messages: readonly string[]): string => messages.join("; ").slice(0, 500);

/** Returns the VALIDATION_ERROR of these fields. */
export function invalidFields(fields: readonly FieldText[]): DomainError {
  const texts = fields.map(({ field, text, values }) => ({ text, values: { field, ...values } }));
  const details = texts.map(({ text, values }) => ({ field: values.field, message: fill(text, values) }));
  const message = joinMessages(details.map((detail) => detail.message));
  return new DomainError("VALIDATION_ERROR", message, { details, detailTexts: texts });
}

/** The result of a call across processes: a value or an error. */
export type Result<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure);

/** Returns the value of a result, or throws its error. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw DomainError.from(result);
}
