import type { ErrorCode } from "#shared/kernel/error-codes.ts";

/** Building blocks of access matrices. `World` holds the resources of the calls. */

/** `ok`, or the error code of the call. */
export type Outcome = "ok" | ErrorCode;

/** The resources of its world that a call names. Default: the operation's example. */
export interface Place {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: object;
}

/** An outcome per caller, in the order of callers. */
export type Outcomes<Callers extends readonly string[]> = { readonly [Index in keyof Callers]: Outcome };

export type At<World, Caller extends string> = (world: World, caller: Caller) => Place | Promise<Place>;

export interface Row<World, Callers extends readonly string[]> {
  /** A single outcome applies to all callers. */
  readonly outcomes: Outcomes<Callers> | Outcome;
  /** If absent, the call names no resources and has no effect on other callers. */
  readonly at?: At<World, Callers[number]>;
}

/**
 * Rows by method and path, such as `get /users/:id`. A suffix after the path distinguishes several rows of one
 * operation.
 */
export type AccessMatrix<World, Callers extends readonly string[]> = Readonly<Record<string, Row<World, Callers>>>;
