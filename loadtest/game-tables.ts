import { io, type Socket } from "socket.io-client";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { Lobby, Session } from "#shared/contracts/views/game-views.ts";
import type { Person, Service } from "./service.ts";

/** A player and their connection. */
export interface Seat {
  readonly person: Person;
  readonly socket: Socket;
}

export interface GameAnswer {
  readonly success: boolean;
  readonly data: Session;
  readonly error?: { readonly code: string };
}

/** A running game, as seen by its first player. */
export class Table {
  readonly seats: readonly Seat[];
  readonly sessionId: string;
  #state: Session | undefined;
  #wake: () => void = () => {};

  constructor(seats: readonly Seat[], sessionId: string) {
    this.seats = seats;
    this.sessionId = sessionId;
    seats[0]!.socket.on("game:state", ({ session_id, state }: { session_id: string; state: Session }) => {
      if (session_id === sessionId) this.see(state);
    });
  }

  see(state: Session): void {
    if (this.#state && state.version < this.#state.version) return;
    this.#state = state;
    this.#wake();
  }

  get state(): Session {
    if (!this.#state) throw new Error("no state of this game has been received yet");
    return this.#state;
  }

  /** Resolves to the current state if it matches, or to the next one that does. */
  async until(fits: (state: Session) => boolean): Promise<Session> {
    while (!this.#state || !fits(this.#state)) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#state;
  }

  seatOf(userId: string): Seat {
    return this.seats.find(({ person }) => person.id === userId)!;
  }

  /** Sends an action over Socket.IO and applies the returned state. */
  async act(seat: Seat, action: GameActionInput, action_id?: string): Promise<GameAnswer> {
    const payload = { session_id: this.sessionId, action, ...(action_id && { action_id }) };
    const answer = (await seat.socket.timeout(30_000).emitWithAck("game:action", payload)) as GameAnswer;
    if (answer.success) this.see(answer.data);
    return answer;
  }
}

export async function connect(service: Service, person: Person): Promise<Seat> {
  const auth = { token: person.token };
  const socket = io(service.url, { auth, transports: ["websocket"], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("connect_error", reject);
  });
  return { socket, person };
}

/** Creates a lobby hosted by the first player, adds the others, and starts the game. */
export async function beginGame(service: Service, type: string, seats: readonly Seat[]): Promise<Table> {
  const [host, ...guests] = seats.map(({ person }) => person.token);
  const lobby = await service.call<Lobby>("POST", "/games/lobbies", { token: host!, body: { type } });
  const step = (token: string, name: string) =>
    service.call<Lobby>("POST", `/games/lobbies/${lobby.id}/${name}`, { token, body: {} });
  for (const token of guests) {
    await step(token, "join");
    await step(token, "ready");
  }
  const { session_id } = await step(host!, "start");
  const table = new Table(seats, session_id!);
  table.see(await service.call<Session>("GET", `/games/sessions/${session_id}`, { token: host! }));
  return table;
}

/** Runs `work` for each item, with limited concurrency. Returns the results in order. */
export async function mapConcurrently<T, R>(items: readonly T[], concurrency: number, work: (item: T) => Promise<R>) {
  const done: R[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) done[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return done;
}
