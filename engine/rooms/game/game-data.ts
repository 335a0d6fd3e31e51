import type { Session, UserCard } from "#shared/contracts/views.ts";
import type { Game, SeededChance } from "#shared/domain/live/games/game.ts";
import { gameOf, type Played, publicSession, sessionFor } from "#shared/domain/live/games/games.queries.ts";
import { SeededRandom } from "#shared/domain/live/games/random.ts";
import { type Outgoing, StoredData } from "../../core/decision.ts";
import { presentIn } from "./present-in.ts";

/** Everything that an actor knows of its game, and the views of it. Changed only by the actor, between decisions. */
export class GameData extends StoredData<Played> {
  readonly game: Game;
  /** Players who were notified of their turn, and have not been here since. */
  readonly called = new Set<string>();
  /** The players' cards, as shown while they are connected. */
  readonly #cards: ReadonlyMap<string, UserCard>;
  #connected: ReadonlySet<string>;
  /** The public view of the game, built on first use. */
  #shared: Session | undefined;

  constructor(row: Played, cards: ReadonlyMap<string, UserCard>, connected: ReadonlySet<string>) {
    super(row);
    this.game = gameOf(row.type);
    this.#cards = cards;
    this.#connected = connected;
  }

  override replace(next: Played): void {
    super.replace(next);
    this.#shared = undefined;
  }

  get playerIds(): readonly string[] {
    return this.stored.state.players;
  }

  get isActive(): boolean {
    return this.stored.status === "active";
  }

  get connected(): ReadonlySet<string> {
    return this.#connected;
  }

  set connected(connected: ReadonlySet<string>) {
    this.#connected = connected;
    this.#shared = undefined;
    for (const userId of connected) this.called.delete(userId);
  }

  /** When the server acts on behalf of a player, milliseconds since 1970; null if it doesn't. */
  get deadlineMs(): number | null {
    return this.isActive ? this.stored.position.deadlineMs : null;
  }

  /** What the rules may use now. Random numbers continue after those already drawn. */
  chance(nowMs: number): SeededChance {
    return { random: new SeededRandom(this.stored.seed, this.stored.state.draws), nowMs };
  }

  /** Returns which of these users are in the room that the game belongs to. */
  async inRoom(userIds: readonly string[]): Promise<readonly string[]> {
    const { room_id } = this.stored;
    return room_id ? presentIn(room_id, userIds) : [];
  }

  view(viewerId: string): Session {
    this.#shared ??= publicSession(this.stored, this.#connected, (userId) => this.#cardOf(userId));
    return sessionFor(this.#shared, this.stored, viewerId);
  }

  /** The game as spectators see it. */
  publicView(): Session {
    return this.view("");
  }

  #cardOf(userId: string): UserCard {
    const card = this.#cards.get(userId)!;
    return this.#connected.has(userId) ? card : { ...card, is_online: false };
  }

  /**
   * The game for its players, as each may see it. Those who see the same get it together, so that it is encoded only
   * once. What they see differs in `you` alone.
   */
  stateEvents(): Outgoing[] {
    const shown = new Map<string, { state: Session; users: string[] }>();
    for (const userId of this.playerIds) {
      const state = this.view(userId);
      const key = JSON.stringify(state.you);
      const others = shown.get(key);
      if (others) others.users.push(userId);
      else shown.set(key, { state, users: [userId] });
    }
    return [...shown.values()].map(({ state, users }) => ({
      event: "game:state",
      payload: { session_id: this.stored.id, state },
      users,
    }));
  }
}
