import { setTimeout as pause } from "node:timers/promises";
import type { RoomMessage } from "#shared/contracts/views.ts";
import type { Payload } from "#shared/testing/clients/clients.ts";
import type { Registered } from "#shared/testing/spawned-service.ts";
import { type Connection, type Door, openNative, openSocket } from "./connection.ts";
import type { Dice } from "./dice.ts";
import { type Outcome, Register } from "./journal.ts";
import type { ServiceNode } from "./node.ts";
import { RoomView } from "./room-view.ts";
import type { Upload } from "./uploads.ts";
import type { World } from "./world.ts";

export interface PersonOptions {
  readonly account: Registered;
  readonly bearerToken: string;
  readonly name: string;
  readonly door: Door;
  readonly roomId: string;
  readonly world: World;
  readonly dice: Dice;
}

/**
 * After this time away, the room may have given the person's seat away: less than the grace for those who come back.
 */
const forgottenAfterMs = 25_000;

/** A user with a client that reconnects, to any process, and makes random calls. */
export class Person {
  account: Registered;
  readonly name: string;
  readonly door: Door;
  readonly roomId: string;
  readonly dice: Dice;
  readonly view: RoomView;
  /** Whether they have a seat. */
  readonly seat = new Register<boolean>(false);
  /** Whether they follow these users. */
  readonly follows = new Map<string, Register<boolean>>();
  /** Of a key of theirs, for the catalogue. */
  readonly bearerToken: string;
  /** Cards that they have ordered and not read the code of. */
  readonly unread: string[] = [];
  readonly uploads: Upload[] = [];
  /** Set for a host. */
  lastSeatLocked?: Register<boolean>;
  readonly #world: World;
  #connection: Connection | undefined;
  #connectedTo: ServiceNode | undefined;
  #seenMs = performance.now();

  constructor({ account, bearerToken, name, door, roomId, world, dice }: PersonOptions) {
    this.account = account;
    this.bearerToken = bearerToken;
    this.name = name;
    this.door = door;
    this.roomId = roomId;
    this.dice = dice;
    this.#world = world;
    const source = {
      sync: (since_seq: number) => this.#ask("room:sync", { room_id: roomId, since_seq }),
      messagesAfter: (id: string) => this.#messagesAfter(id),
    };
    this.view = new RoomView(source, world.seen, (fault) => world.fault(`${name}: ${fault}`));
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Says who they are, and where their connection is. */
  get connectionText(): string {
    const where = this.isConnected ? `connected to ${this.#connectedTo?.name}` : "not connected";
    return `${this.name} (${this.account.id}, ${this.door}, ${where})`;
  }

  /** Sends an event of the room. */
  async ask(event: string, payload: object = {}): Promise<Outcome> {
    const outcome = await this.#ask(event, { room_id: this.roomId, ...payload });
    this.#world.journal.count(outcome.kind === "done" ? "ok" : outcome.code);
    if (outcome.kind === "done") return outcome;
    // A client that gets no answer suspects its connection.
    if (outcome.code === "no answer") this.disconnect();
    if (outcome.code === "NOT_A_MEMBER") await this.#enter();
    return outcome;
  }

  async #ask(event: string, payload: object): Promise<Outcome> {
    return this.#connection ? this.#connection.ask(event, payload) : { kind: "unknown", code: "not connected" };
  }

  /** Calls the REST API of any process. */
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Outcome> {
    const options = { token: this.account.token, ...(body && { body }), ...(headers && { headers }) };
    return this.#world.call(this.dice.pick(this.#world.cluster.nodes), method, path, options);
  }

  disconnect(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.view.suspend();
  }

  /** Connects, unless they are connected, and heals the view, unless it is whole. Returns whether that worked. */
  async arrive(): Promise<boolean> {
    if (this.isConnected) return this.view.isWhole || this.#enter();
    this.disconnect();
    const node = this.dice.pick(this.#world.cluster.hosts);
    try {
      this.#connection = await this.#open(node);
      this.#connectedTo = node;
    } catch (error) {
      this.#world.journal.count(`${this.door} ${reasonOf(error)}`);
      return false;
    }
    return this.#enter();
  }

  #open({ url }: ServiceNode): Promise<Connection> {
    const { token } = this.account;
    const connection: { current?: Connection } = {};
    const listener = {
      onEvent: (event: string, payload: Payload) => {
        const isCurrent = !this.#connection || this.#connection === connection.current;
        if (isCurrent && payload?.room_id === this.roomId) this.view.receive(event, payload);
      },
      onFault: (fault: string) => this.#world.fault(`${this.name}: ${fault}`),
    };
    const opening =
      this.door === "socket"
        ? openSocket(url, token, listener)
        : openNative({ url, token, roomId: this.roomId }, listener);
    return opening.then((opened) => {
      connection.current = opened;
      return opened;
    });
  }

  /** Joins the room on the connection, and heals the view. */
  async #enter(): Promise<boolean> {
    if (performance.now() - this.#seenMs > forgottenAfterMs) this.seat.mayBe(false);
    const joined = await this.#ask("room:join", { room_id: this.roomId });
    if (joined.kind !== "done") this.#world.journal.count(`join ${joined.code}`);
    const healed = joined.kind === "done" ? await this.view.heal() : "not joined";
    if (healed !== "whole") this.disconnect();
    else this.#seenMs = performance.now();
    return healed === "whole";
  }

  async #messagesAfter(afterId: string): Promise<RoomMessage[] | undefined> {
    const found: RoomMessage[] = [];
    for (let before = ""; ; ) {
      const outcome = await this.call("get", `/rooms/${this.roomId}/messages?limit=100${before}`);
      if (outcome.kind !== "done") return undefined;
      const { items, next_before } = outcome.data as { items: RoomMessage[]; next_before: string | null };
      found.push(...items.filter(({ id }) => id > afterId));
      if (!next_before || items.some(({ id }) => id <= afterId)) return found;
      before = `&before=${next_before}`;
    }
  }

  /** Makes random calls until the signal, reconnecting when necessary. */
  async live(acts: readonly Act[], until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      if (await this.arrive()) {
        this.#seenMs = performance.now();
        await this.dice.weighted(acts).run(this, this.#world);
        const restMs = this.dice.between(20, 150);
        await pause(this.#world.cluster.isFlooded ? 0 : restMs);
      } else await pause(this.dice.between(200, 600));
    }
  }
}

/** Something that a person does. */
export interface Act {
  readonly name: string;
  readonly weight: number;
  run(person: Person, world: World): Promise<unknown>;
}

const reasonOf = (error: unknown): string =>
  (error as { data?: { code?: string } }).data?.code ?? String((error as Error).message ?? error).slice(0, 60);
