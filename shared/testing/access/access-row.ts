import type { ErrorCode } from "#shared/kernel/error-codes.ts";

/** What an access matrix is made of, whatever the API and its callers. `World` holds what the calls are about. */

/** `ok`, or the code that a call fails with. */
export type Outcome = "ok" | ErrorCode;

/** What a call names of its world. What is left out is the operation's example. */
export interface Place {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: object;
}

/** An outcome for each caller, in their order. */
export type Outcomes<Callers extends readonly string[]> = { readonly [Index in keyof Callers]: Outcome };

export type At<World, Caller extends string> = (world: World, caller: Caller) => Place | Promise<Place>;

export interface Row<World, Callers extends readonly string[]> {
  /** One outcome alone is that of every caller. */
  readonly outcomes: Outcomes<Callers> | Outcome;
  /** Absent: the call names nothing, and does nothing to what others have. */
  readonly at?: At<World, Callers[number]>;
}

/** Rows by method and path, `get /users/:id`; what follows the path tells rows of one operation apart. */
export type AccessMatrix<World, Callers extends readonly string[]> = Readonly<Record<string, Row<World, Callers>>>;
