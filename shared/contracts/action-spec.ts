import type Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";

/** One thing that a client may ask: what it sends, checked against `payload`, is answered with `reply`. */
export interface ActionSpec {
  readonly payload: Joi.ObjectSchema;
  readonly reply: Joi.AnySchema;
  /** Codes of its own, beside those that any event can be refused with (`client-events.ts`). */
  readonly errors: readonly ErrorCode[];
  /** Who may do it, for the reader of the documents; the rules decide. */
  readonly by: string;
  readonly summary: string;
  /** "contract", or "extension" for what the contract does not have. */
  readonly origin: "contract" | "extension";
}
