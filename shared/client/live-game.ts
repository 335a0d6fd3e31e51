import { Emitter } from "./emitter.ts";
import type { Call } from "./errors.ts";
import type { Services } from "./ports.ts";
import { repeated } from "./repeat.ts";
import type { ClientEvents, Lobby, Session } from "./social.generated.ts";
import { newKey } from "./timing.ts";

export type GameType = Session["type"];
/** The session of one game. */
export type SessionOf<Type extends GameType> = Extract<Session, { type: Type }>;
/** An action of a game: `{ kind: "move", piece: 2 }`. */
export type GameAction = ClientEvents["game:action"]["payload"]["action"];

type Reply<E extends keyof ClientEvents> = Call<ClientEvents[E]["reply"], ClientEvents[E]["errors"]>;

/** Something that the server sends as a whole whenever it changes. */
abstract class LiveObject<State> {
  readonly id: string;
  protected readonly services: Services;
  readonly #emitter = new Emitter<{ readonly change: State }>();
  readonly #onClose: () => void;
  #state: State;

  /** Adds a listener. Returns a function that removes it. */
  readonly on = this.#emitter.on;

  constructor(id: string, state: State, services: Services, onClose: () => void) {
    this.id = id;
    this.#state = state;
    this.services = services;
    this.#onClose = onClose;
  }

  /** As it is now. A new object after each change. */
  get state(): State {
    return this.#state;
  }

  /** Ends it: no change is received any longer. */
  close(): void {
    this.#onClose();
  }

  /** For the client: reads the state again, after a lost connection. */
  abstract reload(): Promise<void>;

  /** For the client. */
  take(state: State): State {
    if (this.isStale(state)) return this.#state;
    this.#state = state;
    this.#emitter.emit("change", state);
    return state;
  }

  protected abstract isStale(state: State): boolean;

  protected ask<E extends keyof ClientEvents>(event: E, payload: ClientEvents[E]["payload"], isRepeatable = false) {
    const { tokens, retries, send } = this.services;
    return repeated(tokens, { retries, isRepeatable }, (token) => send(event, payload, token)) as Reply<E>;
  }
}

/** A game that the user plays or watches. */
export class LiveGame<Type extends GameType = GameType> extends LiveObject<SessionOf<Type>> {
  /** Takes an action. It is executed once, however often it is sent. */
  async act(action: GameAction, action_id = newKey()): Promise<SessionOf<Type>> {
    const session = await this.ask("game:action", { session_id: this.id, action, action_id }, true);
    return this.take(session as SessionOf<Type>);
  }

  /** After the game: the seed and all numbers drawn from it. */
  proof() {
    return this.services.rest.request("getGameProof", { params: { id: this.id } });
  }

  override async reload(): Promise<void> {
    const session = await this.services.rest.request("getGameSession", { params: { id: this.id } });
    this.take(session as SessionOf<Type>);
  }

  protected override isStale({ version }: SessionOf<Type>): boolean {
    return version < this.state.version;
  }
}

/** A lobby, in which players gather before a game. `state.session_id` is the game once it has started. */
export class LiveLobby extends LiveObject<Lobby> {
  #changes = 0;

  async join(): Promise<Lobby> {
    return this.take(await this.ask("lobby:join", { lobby_id: this.id }));
  }

  async ready(ready = true): Promise<Lobby> {
    return this.take(await this.ask("lobby:ready", { lobby_id: this.id, ready }, true));
  }

  /** Only for the host. */
  async start(): Promise<Lobby> {
    return this.take(await this.ask("lobby:start", { lobby_id: this.id }));
  }

  async leave(): Promise<Lobby> {
    return this.take(await this.ask("lobby:leave", { lobby_id: this.id }));
  }

  override async reload(): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const changes = this.#changes;
      const lobby = await this.services.rest.request("getLobby", { params: { id: this.id } });
      // A lobby has no version: what came meanwhile may be newer.
      if (changes === this.#changes) return void this.take(lobby);
    }
  }

  override take(state: Lobby): Lobby {
    this.#changes += 1;
    return super.take(state);
  }

  protected override isStale(): boolean {
    return false;
  }
}
