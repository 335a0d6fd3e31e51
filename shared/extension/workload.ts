/** What the service said to a call of a workload. */
export type WorkloadAnswer<Data = unknown> =
  | { readonly ok: true; readonly data: Data }
  /** An error code, or why there is no response. */
  | { readonly ok: false; readonly code: string };

/** A user in a load test or in chaos: a member of a room, who may have coins. */
export interface WorkloadPerson {
  readonly id: string;
  readonly roomId: string;
  readonly isHost: boolean;
  /** All rooms of the run. */
  readonly roomIds: readonly string[];
  /** Returns a number from 0 up to, but not including, `below`, which the seed of the run repeats. */
  random(below: number): number;
  /** Calls an operation of users, such as `post`, `/red-packets`. Never rejects. */
  call<Data = unknown>(method: string, path: string, body?: object): Promise<WorkloadAnswer<Data>>;
  /** Sends a gift to another member of the room. Never rejects. */
  give(): Promise<WorkloadAnswer<{ readonly id: string }>>;
  /** Records that a promise was broken, as a sentence, which fails the run. */
  violation(text: string): void;
}

/** What a workload may use before the run, as a super administrator. */
export interface WorkloadDesk {
  /** Calls an operation of administrators, such as `patch`, `/settings`. @throws Error if it fails */
  admin(method: string, path: string, body: object): Promise<unknown>;
  /** The gift that people send. */
  readonly giftId: string;
}

/** What users do with an extension, again and again, in load tests and in chaos. */
export interface Workload<Place = unknown> {
  /** What they do: a sentence without a full stop. */
  readonly summary: string;
  /** Funds and configures the extension. Left out for a service that the load test hasn't started. */
  readonly prepare?: (desk: WorkloadDesk) => Promise<void>;
  /** Returns what the people of a room remember together, such as what to take part in. */
  readonly place: () => Place;
  /** Does what is one person's turn: few calls. */
  readonly act: (person: WorkloadPerson, place: Place) => Promise<unknown>;
  /** Error codes that belong to it. Others count as errors. */
  readonly expected?: readonly string[];
  /** What always holds: by a sentence, the SQL that selects what breaks it, in the schema of the extension. */
  readonly invariants?: Readonly<Record<string, string>>;
}

/** Defines a workload, for `workloads`. The type of `place` follows. */
export const defineWorkload = <Place>(workload: Workload<Place>): Workload => workload as unknown as Workload;
