import type { Client } from "@colyseus/core";
import type { GameInputs } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Session } from "#shared/contracts/views/game-views.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { checkAction } from "#shared/domain/games/check-action.ts";
import type { Game } from "#shared/domain/games/game.ts";
import { noSuchGame } from "#shared/domain/games/games.errors.ts";
import { connectedAmong, gameOf, publicSession, sessionFor } from "#shared/domain/games/games.queries.ts";
import { SeededRandom } from "#shared/domain/games/random.ts";
import { saveBatched } from "#shared/domain/games/session-saves.ts";
import {
  claimSession,
  endSession,
  findSession,
  type SessionRow,
  type SessionState,
  saveSession,
  wasTaken,
  withActionId,
} from "#shared/domain/games/session-state.ts";
import { connectedCards } from "#shared/domain/users/user-cards.queries.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { authenticateNative, NativeDoor, type NativeHost, nativeCaller } from "../../bridge/native-door.ts";
import { ActorRoom, type Command } from "../../core/actor-room.ts";
import { gameKind } from "../../core/kinds.ts";
import { toServerError } from "../../core/refusal.ts";
import { engine } from "../../engine.ts";
import { GameState, projectGame } from "./game.state.ts";
import { PlayerWatch, type Watched } from "./player-watch.ts";
import { presentIn } from "./present-in.ts";
import { tellPlayers } from "./tell-players.ts";

/** With fewer connected players than the game needs for so long, it is abandoned. */
const abandonAfterMs = 60_000;
/** The actor of a game that is over stays so long, so that everybody sees the end. */
const lingerMs = 10_000;
/** A deadline is looked at again after so long: the clock may have been set. */
const longestWaitMs = 60_000;
const timeoutRetryMs = 1000;

/** Of all games of this process together. */
const watch = new PlayerWatch();

/** The actor of one game: hosts any game, by its rules. Each action is decided, stored, applied, and told, one at a time. */
export class GameRoom extends ActorRoom<GameState> implements NativeHost, Watched {
  override state = new GameState();
  /** A change is shown at once, see `#tell`; this is for the clock of the room. */
  override patchRate = 1000;
  protected override readonly kind = gameKind;

  #row!: SessionRow;
  #game!: Game;
  /** As they look while connected. */
  #cards!: Map<string, UserCard>;
  #connected: ReadonlySet<string> = new Set();
  /** Since when too few players are connected, milliseconds since 1970. */
  #lonelySinceMs: number | null = null;
  /** Players who were told that it is their turn, and were not here since. */
  readonly #called = new Set<string>();
  /** The game as everybody may see it now; made when it is asked for. */
  #shared: Session | undefined;
  #native!: NativeDoor;
  #deadline: NodeJS.Timeout | undefined;

  static override onAuth = authenticateNative(gameKind, "session_id");
  readonly joinAction = "game:view";

  protected override async open(sessionId: string): Promise<void> {
    const row = await claimSession(sessionId);
    if (!row) throw (await findSession(sessionId)) ? new DomainError("SESSION_FINISHED") : noSuchGame();
    this.#row = row;
    this.#game = gameOf(row.type);
    this.#cards = await connectedCards(row.state.players);
    this.#connected = await connectedAmong(row.state.players);
    this.#native = new NativeDoor(this, []);
    this.#tell();
    this.#setDeadline();
    watch.add(this);
  }

  override async onDispose(): Promise<void> {
    watch.remove(this);
    clearTimeout(this.#deadline);
    await super.onDispose();
  }

  override async onJoin(client: Client): Promise<void> {
    const refusal = await this.#native.join(client, {});
    if (refusal) throw toServerError(refusal);
  }

  override onDrop(client: Client): Promise<void> {
    return this.#native.drop(client);
  }

  override onReconnect(client: Client): Promise<void> {
    return this.#native.reconnect(client);
  }

  override onLeave(client: Client, code?: number): Promise<void> {
    return this.#native.leave(client, code);
  }

  get playerIds(): readonly string[] {
    return this.#row.state.players;
  }

  /** A player who goes stays a player: the server acts for him when his time is over. */
  mayReturn(userId: string): boolean {
    return this.playerIds.includes(userId);
  }

  protected override async close(): Promise<void> {}

  protected override async act({ caller, action, input, connection }: Command): Promise<Session | object> {
    if (action === "connection:drop" || action === "game:tend") return {};
    if (caller) await this.#mustSee(caller);
    if (action === "game:view") {
      if (connection) this.#native.admit(connection);
      return this.#view(caller!.userId);
    }
    return this.mailbox.run(
      async () => {
        if (action === "game:abandon") await this.#abandon();
        else await this.#act(caller!, input as Omit<GameInputs["game:action"], "session_id">);
        return this.#view(caller?.userId ?? "");
      },
      { beyondLimit: caller === null },
    );
  }

  /** A game is seen by its players, and by whoever is in its room. @throws NOT_FOUND */
  async #mustSee({ userId }: UserPrincipal): Promise<void> {
    if (this.playerIds.includes(userId)) return;
    if (!(await this.#inRoom([userId])).includes(userId)) throw noSuchGame();
  }

  /** Who of these is in the room that the game belongs to. */
  async #inRoom(userIds: readonly string[]): Promise<readonly string[]> {
    const { room_id } = this.#row;
    return room_id ? presentIn(room_id, userIds) : [];
  }

  async #act({ userId }: UserPrincipal, input: Omit<GameInputs["game:action"], "session_id">): Promise<void> {
    if (input.action_id && wasTaken(this.#row.state, userId, input.action_id)) return;
    // Whoever is late has not acted: the server has, even if its timer has not come round to it.
    await this.#playOverdue();
    const { state, status } = this.#row;
    if (status !== "active") throw new DomainError("SESSION_FINISHED");
    if (!state.players.includes(userId)) throw new DomainError("FORBIDDEN", "You do not play in this game.");
    const action = checkAction(this.#game, input.action);
    const chance = { random: this.#random(), nowMs: clock.now() };
    const board = this.#game.act(state.board, userId, action, chance);
    const actionIds = input.action_id ? withActionId(state.actionIds, userId, input.action_id) : state.actionIds;
    await this.#advance(board, chance.random, actionIds);
  }

  #random = (): SeededRandom => new SeededRandom(this.#row.seed, this.#row.state.draws);

  /** Stores the next board, then shows it. */
  async #advance(board: object, { draws }: SeededRandom, actionIds: SessionState["actionIds"]): Promise<void> {
    const { state } = this.#row;
    const next: SessionState = { ...state, board, version: state.version + 1, draws, actionIds };
    await this.#store(next, this.#game.isOver(board) ? "finished" : "active");
  }

  async #abandon(): Promise<void> {
    if (this.#row.status === "active")
      await this.#store({ ...this.#row.state, version: this.#row.state.version + 1 }, "abandoned");
  }

  async #store(state: SessionState, status: SessionRow["status"]): Promise<void> {
    const dueMs = status === "active" ? this.#game.deadlineMs(state.board) : null;
    const save = { sessionId: this.roomId, epoch: this.#row.epoch, state, dueMs };
    const away = status === "active" ? this.#whoIsCalled(state) : undefined;
    let finished_at: string | null = null;
    if (status === "active" && !away) await saveBatched(save);
    else
      finished_at = await inTransaction(async (tx) => {
        await saveSession(tx, save);
        if (status !== "active") return endSession(tx, this.#row, status, this.#game.standings(state.board));
        const { id: session_id, type } = this.#row;
        await tx.publish("game.turn_waits", { session_id, type, user_id: away!, version: state.version });
        return null;
      });
    if (away) this.#called.add(away);
    this.#row = { ...this.#row, state, status, finished_at };
    this.#tell();
    this.#setDeadline();
    if (status !== "active") this.clock.setTimeout(() => this.end(), lingerMs);
  }

  /** The player whose turn begins while he is not connected; once while he is away. */
  #whoIsCalled(state: SessionState): string | undefined {
    const userId = this.#game.turn(state.board)?.userId;
    return userId && !this.#connected.has(userId) && !this.#called.has(userId) ? userId : undefined;
  }

  #cardOf = (userId: string): UserCard => {
    const card = this.#cards.get(userId)!;
    return this.#connected.has(userId) ? card : { ...card, is_online: false };
  };

  #view(viewerId: string): Session {
    this.#shared ??= publicSession(this.#row, this.#connected, this.#cardOf);
    return sessionFor(this.#shared, this.#row, viewerId);
  }

  /** Each player gets the game as he may see it, everybody else in the room the public view. */
  #tell(): void {
    this.#shared = undefined;
    const views = new Map(this.playerIds.map((userId) => [userId, this.#view(userId)]));
    tellPlayers(engine().fanout, this.roomId, views);
    projectGame(this.state, this.#view(""));
    if (this.clients.length > 0) this.broadcastPatch();
    this.#tellRoom();
  }

  #tellRoom(): void {
    const { room_id } = this.#row;
    if (!room_id) return;
    const payload = { session_id: this.roomId, state: this.#view("") };
    const input = { event: "game:state", payload, except: this.playerIds };
    void engine()
      .directory.callIfAlive(room_id, { caller: null, action: "room:tell", input })
      .catch((error: unknown) => logger.warn({ err: error, roomId: this.roomId }, "spectators were not told"));
  }

  /** The clock of the turn. It is the board's, so it runs on after a crash. */
  #setDeadline(): void {
    clearTimeout(this.#deadline);
    const deadlineMs = this.#row.status === "active" ? this.#game.deadlineMs(this.#row.state.board) : null;
    if (deadlineMs === null) return;
    const waitMs = Math.min(Math.max(0, deadlineMs - clock.now()), longestWaitMs);
    this.#deadline = setTimeout(() => void this.#timeout(), waitMs);
  }

  async #timeout(): Promise<void> {
    await this.#byItself("a turn's end could not be stored; it is tried again", async () => {
      await this.#playOverdue();
      this.#setDeadline();
    });
  }

  /** If the time of whoever is to act is over, the server acts, by the rules of the game. */
  async #playOverdue(): Promise<void> {
    const { state, status } = this.#row;
    const deadlineMs = this.#game.deadlineMs(state.board);
    if (status !== "active" || deadlineMs === null || deadlineMs > clock.now()) return;
    const chance = { random: this.#random(), nowMs: clock.now() };
    await this.#advance(this.#game.timeout(state.board, chance), chance.random, state.actionIds);
  }

  /** Does in its turn what nobody has asked for. `remark`: what is said when it fails; its time comes again. */
  async #byItself(remark: string, work: () => Promise<void>): Promise<void> {
    try {
      await this.mailbox.run(async () => (this.retired ? undefined : work()), { beyondLimit: true });
    } catch (error) {
      if (error instanceof StaleActorError) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, remark);
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => void this.#timeout(), timeoutRetryMs);
    }
  }

  /** Who of the players is there? Too few for too long end the game. */
  seen(online: ReadonlySet<string>): void {
    if (this.retired || this.#row.status !== "active") return;
    // The timer counts by itself; the wall clock may have been set, or the process have stood still.
    const deadlineMs = this.#game.deadlineMs(this.#row.state.board);
    if (deadlineMs !== null && deadlineMs <= clock.now()) void this.#timeout();
    const connected = new Set(this.playerIds.filter((userId) => online.has(userId)));
    const changed = connected.size !== this.#connected.size || [...connected].some((id) => !this.#connected.has(id));
    this.#connected = connected;
    for (const userId of connected) this.#called.delete(userId);
    if (changed) this.#tell();
    const enough = connected.size >= this.#game.meta.min_players;
    this.#lonelySinceMs = enough ? null : (this.#lonelySinceMs ?? clock.now());
    if (this.#lonelySinceMs !== null && clock.now() - this.#lonelySinceMs >= abandonAfterMs)
      void this.#byItself("a game could not be abandoned", () => this.#abandon());
    void this.#expelWhoLeft();
  }

  /** Native spectators see the game by its state, for as long as they are in its room. */
  async #expelWhoLeft(): Promise<void> {
    const watching = this.clients.map((client) => nativeCaller(client).userId).filter((id) => !this.mayReturn(id));
    if (watching.length === 0) return;
    try {
      const present = await this.#inRoom(watching);
      for (const userId of watching) if (!present.includes(userId)) this.#native.expel(userId);
    } catch (error) {
      logger.warn({ err: error, roomId: this.roomId }, "it is not known which spectators are in the room");
    }
  }
}
