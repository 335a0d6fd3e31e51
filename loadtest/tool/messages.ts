import type { CrewOptions } from "./crew.ts";
import type { Person } from "./people.ts";
import type { Profile } from "./schedule.ts";
import type { Counted } from "./tally.ts";

/** What a worker is to do. */
export interface Task {
  readonly scenario: string;
  readonly crew: CrewOptions;
  readonly people: readonly Person[];
  readonly scene: unknown;
  readonly profile: Profile;
}

/** How a worker has kept to the schedule, after the ramp. */
export interface Pace {
  /** How many arrivals it has served. */
  readonly begun: number;
  /** How late the latest was because the worker was busy, milliseconds. */
  readonly lateMs: number;
}

export type ToWorker =
  | { readonly kind: "prepare"; readonly task: Task }
  /** The first arrival is due at this time, milliseconds since 1970. */
  | { readonly kind: "go"; readonly startMs: number }
  /** No further arrivals. */
  | { readonly kind: "stop" }
  | { readonly kind: "finish"; readonly notes: readonly unknown[] };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "tick"; readonly second: number; readonly counted: Counted; readonly inFlight: number }
  | ({ readonly kind: "acted"; readonly notes: unknown } & Pace)
  | {
      readonly kind: "done";
      readonly evidence: unknown;
      readonly violations: readonly string[];
      readonly total: Counted;
    }
  | { readonly kind: "failed"; readonly message: string };
