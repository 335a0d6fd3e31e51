import type { Crew } from "./crew.ts";
import type { Person } from "./people.ts";
import type { Stage } from "./stage.ts";

/** How a scenario's people are connected. */
export const doors = ["socket", "colyseus", "rest"] as const;
export type Door = (typeof doors)[number];

/** What the schedule asks for: one thing that one person does. */
export interface Arrival {
  /** Counts all arrivals of a run, over all workers. */
  readonly number: number;
  /** When it is due, milliseconds since 1970. Latencies count from here, also if the worker or the service is late. */
  readonly dueMs: number;
}

/** A scenario as it runs in one worker. */
export interface Play {
  /** Does what is due. Failed calls are counted by `Crew.measure`; what it throws ends the run. */
  act(arrival: Arrival): Promise<unknown>;
  /** What was acknowledged to this worker, as JSON. Called when all calls are answered. */
  notes?(): unknown;
  /** Waits for what must still arrive, given the notes of all workers. Returns what `check` needs, as JSON. */
  finish?(notes: readonly never[]): Promise<unknown>;
  /** Ends connections. */
  close(): void;
}

/** A kind of load. One file in `scenarios` each. */
export interface Scenario {
  readonly description: string;
  /** Those that make sense, the default first. */
  readonly doors: readonly [Door, ...Door[]];
  /** Defaults of `--clients`, `--rate`, and `--rooms`. */
  readonly clients: number;
  readonly rate: number;
  readonly rooms: number;
  /** Creates what all workers use. Returns it as JSON. */
  prepare?(stage: Stage, people: readonly Person[]): Promise<unknown>;
  /** Connects the people of a worker. */
  open(crew: Crew, scene: never): Promise<Play>;
  /** Compares what all workers were told with each other and with the service. Returns the violations. */
  check?(stage: Stage, people: readonly Person[], found: Found): Promise<string[]>;
}

/** What the workers have returned, in their order. */
export interface Found {
  readonly scene: never;
  readonly notes: readonly never[];
  readonly evidence: readonly never[];
}
