import type Joi from "joi";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { BlockRuleName } from "./block-rules.ts";

/** An action that a client may request: it sends `payload` and receives `reply`. */
export interface ActionSpec {
  readonly payload: Joi.ObjectSchema;
  readonly reply: Joi.AnySchema;
  /** What it is told about a block; absent if it takes no ID. */
  readonly blocks?: BlockRuleName;
  /** Error codes in addition to those common to all events (`client-events.ts`). */
  readonly errors: readonly ErrorCode[];
  /** Who may do it, as the object of "Allowed for …". Documentation only: the rules decide. */
  readonly by: string;
  /** An imperative phrase without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** "extension": not part of the contract. */
  readonly origin: "contract" | "extension";
}
