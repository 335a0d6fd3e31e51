import type { Hubbub } from "#shared/client/client.ts";
import { clientOf } from "./crew.ts";
import type { Person } from "./people.ts";

/** What a scenario's preparation and check use, in the main process. */
export interface Stage {
  readonly url: string;
  readonly rooms: number;
  readonly workers: number;
  readonly seed: number;
  /** How many arrivals are expected. */
  readonly arrivals: number;
  /** The weights of `mixed`. */
  readonly mix: Mix;
  /** Of a service that the load test has started. */
  readonly own?: OwnService;
  /** A client of a person, over REST. */
  client(person: Person): Hubbub;
  /** Called at the end of the run. */
  onEnd(undo: () => Promise<unknown>): void;
}

/** What only the one who runs a service can do. */
export interface OwnService {
  /** Calls an operation of administrators. @throws Error if it fails */
  admin(method: string, path: string, body: object): Promise<unknown>;
  query(sql: string): Promise<readonly object[]>;
}

/** What `mixed` does, and when. */
export interface Mix {
  /** How often each scenario takes its turn. */
  readonly weights: Readonly<Record<string, number>>;
  /** Shares of the rate, in equal parts of the time. */
  readonly day?: readonly number[] | undefined;
}

export const stageClient = (url: string) => (person: Person) =>
  clientOf(person, { url, door: "rest", timeout: 30_000 });

/** Opens rooms, hosted by the first people. Returns their IDs. They are closed at the end. */
export async function openRooms(
  stage: Pick<Stage, "rooms" | "client" | "onEnd">,
  people: readonly Person[],
): Promise<string[]> {
  const { room_categories, languages } = await stage.client(people[0]!).config();
  const opened = people.slice(0, stage.rooms).map(async (host) => {
    const client = stage.client(host);
    const room = await client.rooms.create({
      name: "Load test",
      category: room_categories[0]!,
      language: languages[0]!,
    });
    stage.onEnd(() => client.rooms.close(room.id));
    return room.id;
  });
  return Promise.all(opened);
}
