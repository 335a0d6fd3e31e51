import type { Answer, CallOptions } from "#shared/testing/service.ts";
import type { Cluster } from "./cluster.ts";
import type { Dice } from "./dice.ts";
import { Journal, type Outcome, outcomeOf, type Register } from "./journal.ts";
import type { ServiceNode } from "./node.ts";
import type { Person } from "./person.ts";
import { SeenEvents } from "./room-view.ts";
import type { Shop } from "./shop.ts";
import { StoreDesk } from "./stores.ts";
import type { Table } from "./table.ts";

/** A room with the people in it; the first is its host. */
export interface Place {
  readonly id: string;
  readonly people: readonly Person[];
  /** The ID of the conversation of each two people. */
  readonly conversations: ReadonlyMap<Person, ReadonlyMap<Person, string>>;
  readonly table: Table;
  /** Whether a judge is asked about all messages. */
  readonly isJudged: boolean;
}

/** What people use that isn't theirs. */
export interface Goods {
  readonly giftId: string;
  readonly shop: Shop;
}

/** A value in the database that one party sets, and how to read it. */
export interface StoredValue {
  readonly name: string;
  readonly register: Register<boolean>;
  /** An SQL expression. */
  readonly sql: string;
  readonly values: readonly unknown[];
}

const callWithinMs = 8000;

interface Response {
  readonly status: number;
  /** The header. */
  readonly location: string | undefined;
  readonly body: string;
}
type Unanswered = Extract<Outcome, { kind: "unknown" }>;

/** Everything that the people of a run share. */
export class World {
  readonly cluster: Cluster;
  readonly journal = new Journal();
  readonly seen = new SeenEvents();
  readonly places: Place[] = [];
  readonly people: Person[] = [];
  readonly stored: StoredValue[] = [];
  /** The orders whose codes were shown, by code. */
  readonly codes = new Map<string, string>();
  readonly goods: Goods;
  readonly desk: StoreDesk;
  /** What clients saw that must not happen. */
  readonly faults: string[] = [];
  /** Of choices that no person makes. */
  readonly dice: Dice;
  adminToken: string;
  /** When the tokens were issued. */
  renewedMs = performance.now();
  #keys = 0;

  constructor(cluster: Cluster, dice: Dice, goods: Goods, adminToken: string) {
    this.cluster = cluster;
    this.dice = dice;
    this.desk = new StoreDesk(cluster.stores, dice.fork());
    this.adminToken = adminToken;
    this.goods = goods;
  }

  fault(text: string): void {
    this.faults.push(text);
  }

  placeOf({ roomId }: Person): Place {
    return this.places.find(({ id }) => id === roomId)!;
  }

  /** Returns a key that no other call has. */
  newKey(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  /** Calls the REST API of a process. Never rejects. */
  async call(node: ServiceNode, method: string, path: string, options: CallOptions = {}): Promise<Outcome> {
    const { token, body, headers } = options;
    const answer = await this.send(node, `/api/v1${path}`, {
      method: method.toUpperCase(),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const outcome = "kind" in answer ? answer : outcomeOf(JSON.parse(answer.body) as Answer["body"]);
    if (outcome.kind !== "done") this.journal.count(`${method} ${path.split(/[/?]/)[1]}: ${outcome.code}`);
    return outcome;
  }

  /** Sends a request to a process. Never rejects: without a response, it returns an outcome. */
  async send({ url }: ServiceNode, path: string, init: RequestInit): Promise<Response | Unanswered> {
    try {
      const response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(callWithinMs) });
      const location = response.headers.get("location") ?? undefined;
      return { status: response.status, location, body: await response.text() };
    } catch (error) {
      return { kind: "unknown", code: (error as Error).name === "TimeoutError" ? "no answer" : "connection lost" };
    }
  }
}
