import { addPeople } from "../many-people.ts";
import { startService } from "../service.ts";
import type { Person } from "./people.ts";

/** The service that is loaded. */
export interface Target {
  readonly url: string;
  /** Adds people whose tokens last so many seconds, and some more. Only of a service of its own. */
  addPeople?(count: number, seconds: number): Promise<readonly Person[]>;
  stop(): Promise<void>;
}

/** For the preparation, and for what follows the load. */
const moreSeconds = 3600;

/** Starts the service on this machine, with an empty database and without rate limits. */
export async function startTarget(): Promise<Target> {
  const service = await startService({ detached: true });
  return {
    url: service.url,
    addPeople: async (count, seconds) => {
      const people = await addPeople(service, count, Math.ceil(seconds) + moreSeconds);
      return people.map(({ id, token }, index) => ({ id, name: `person ${index}`, accessToken: token }));
    },
    stop: service.stop,
  };
}
