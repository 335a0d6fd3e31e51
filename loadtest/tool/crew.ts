import { Client as ColyseusClient } from "@colyseus/sdk";
import {
  type Call,
  createClient,
  type ErrorCode,
  type Hubbub,
  isHubbubError,
  type Outcome,
  outcome,
} from "#shared/client/client.ts";
import { Dice } from "../chaos/dice.ts";
import { mapConcurrently } from "../game-tables.ts";
import { type Person, tokensOf } from "./people.ts";
import type { Door } from "./scenario.ts";
import type { Tally } from "./tally.ts";
import { now } from "./times.ts";

export interface CrewOptions {
  readonly url: string;
  readonly door: Door;
  readonly rooms: number;
  readonly seed: number;
  /** This worker, from 0, and how many there are. */
  readonly worker: number;
  readonly workers: number;
  /** Limit of a call, milliseconds. */
  readonly timeout: number;
  /** How often the client repeats what may be repeated. Default: never, so that each error counts. */
  readonly retries?: number;
}

/** One of the people that a worker plays. */
export interface Member extends Person {
  /** Counts all people of the scenario, over all workers. */
  readonly number: number;
  readonly client: Hubbub;
}

const connectedAtOnce = 20;

/** Codes after which it is unknown whether a call had an effect. */
const unknown: readonly ErrorCode[] = ["TIMEOUT", "NETWORK_ERROR", "ENGINE_UNAVAILABLE"];
export const isUnknown = (code: string): boolean => unknown.includes(code as ErrorCode);

/** The people of a scenario that one worker plays, and what they count. */
export class Crew {
  readonly options: CrewOptions;
  readonly members: readonly Member[];
  readonly tally: Tally;
  readonly violations: string[];
  readonly dice: Dice;

  constructor(options: CrewOptions, people: readonly Person[], tally: Tally, violations: string[] = []) {
    this.options = options;
    this.tally = tally;
    this.violations = violations;
    this.dice = new Dice(options.seed + options.worker);
    this.members = shareOf(people, options).map(({ person, number }) => ({
      ...person,
      number,
      client: clientOf(person, options),
    }));
  }

  /** Some of the people, for a part of a scenario. */
  part(people: readonly Person[], door: Door): Crew {
    return new Crew({ ...this.options, door }, people, this.tally, this.violations);
  }

  /** Calls, and counts the time from when the call was due, or the error. */
  async measure<Data, Code extends string>(
    operation: string,
    dueMs: number,
    call: () => Call<Data, Code>,
  ): Promise<Outcome<Data, Code>> {
    const found = await outcome(call());
    if (found.error) this.tally.failed(operation, dueMs, found.error.code);
    else this.tally.succeeded(operation, dueMs, now() - dueMs);
    return found;
  }

  /** Records that the service has broken a promise, which fails the run. */
  violation(text: string): void {
    this.violations.push(text);
  }

  /** Opens the connections of all members. */
  async connect(): Promise<void> {
    await mapConcurrently(this.members, connectedAtOnce, ({ client }) => online(client));
  }

  disconnect(): void {
    for (const { client } of this.members) client.disconnect();
  }
}

/** Returns the people of a worker. Neighbours, such as those who write to each other, are in the same one. */
function shareOf(people: readonly Person[], { worker, workers }: CrewOptions): { person: Person; number: number }[] {
  const pairs = Math.ceil(people.length / 2);
  const from = 2 * Math.floor((pairs * worker) / workers);
  const to = 2 * Math.floor((pairs * (worker + 1)) / workers);
  return people.slice(from, to).map((person, index) => ({ person, number: from + index }));
}

/** Creates the client of a person. */
export const clientOf = (
  person: Person,
  { url, door, timeout, retries = 0 }: Pick<CrewOptions, "url" | "door" | "timeout" | "retries">,
) =>
  createClient({
    url,
    storage: tokensOf(person),
    timeout,
    retries,
    ...(door === "colyseus" && { colyseus: ColyseusClient as never }),
  });

/** Connects a client. Resolves when it is connected. */
export async function online(client: Hubbub): Promise<void> {
  if (client.status === "online") return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const off = client.on("status", (status) => status === "online" && resolve());
  client.connect();
  await promise;
  off();
}

export const codeOf = (error: unknown): string => (isHubbubError(error) ? error.code : String(error));
