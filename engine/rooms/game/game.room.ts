import { gameActions } from "#shared/contracts/game-actions.ts";
import { isNewestEpoch } from "#shared/db/epochs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { connectedCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { RulesFailure } from "#shared/domain/live/games/extension-game.ts";
import { noSuchGame } from "#shared/domain/live/games/games.errors.ts";
import { connectedAmong, type Played, playedOf } from "#shared/domain/live/games/games.queries.ts";
import { saveBatched } from "#shared/domain/live/games/session-saves.ts";
import {
  claimSession,
  endSession,
  findSession,
  type SessionRow,
  type SessionSave,
  saveSession,
} from "#shared/domain/live/games/session-state.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Later } from "#shared/kernel/later.ts";
import { logger } from "#shared/kernel/logger.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { NativeRoom, nativeCaller } from "../../bridge/native-room.ts";
import { notifyRoom } from "../../bridge/notify-room.ts";
import type { Decision } from "../../core/decision.ts";
import { abandonment, gameActorActions, timeout } from "./game.actions.ts";
import { GameState, projectGame } from "./game.state.ts";
import { GameData } from "./game-data.ts";
import { playerWatch, type Watched } from "./player-watch.ts";

/** A game with too few connected players is abandoned after this time. */
const abandonAfterMs = 60_000;
/** A deadline is checked again after this long, because the clock may have been set. */
const longestWaitMs = 60_000;
const timeoutRetryMs = 1000;

/** The actor of one game: hosts any game, by its rules. */
export class GameRoom extends NativeRoom<"game_session", GameData, Played, GameState> implements Watched {
  override state = new GameState();
  override readonly kind = "game_session";
  protected override readonly actions = gameActorActions;
  protected override readonly joinAction = "game:view";
  protected override readonly ownEvents = Object.keys(gameActions);

  /** When too few players became connected, milliseconds since 1970. */
  #lonelySinceMs: number | null = null;
  #deadline: NodeJS.Timeout | undefined;

  protected override async load(sessionId: string): Promise<GameData> {
    const row = await claimSession(sessionId);
    if (!row) throw (await findSession(sessionId)) ? new DomainError("SESSION_FINISHED") : noSuchGame();
    const { players } = row.state;
    return new GameData(await this.#played(row), await connectedCards(players), await connectedAmong(players));
  }

  /** Returns the stored game. One that its rules can't go on with is abandoned. */
  #played(row: SessionRow): Promise<Played> {
    return playedOf(row).catch(async (error: unknown) => {
      if (!(error instanceof RulesFailure)) throw error;
      logger.error(
        { err: error.cause, sessionId: row.id, type: row.type },
        "a stored game is abandoned: its rules failed",
      );
      const standings = row.state.players.map((userId) => ({ userId, score: 0, place: null }));
      await inTransaction((tx) => endSession(tx, row, "abandoned", standings));
      throw error;
    });
  }

  protected override begin(): void {
    this.#pushState();
    this.#show();
    this.#setDeadline();
    playerWatch.add(this);
  }

  /** A game ends by its rules. */
  override tick(): void {}

  override async onDispose(): Promise<void> {
    playerWatch.remove(this);
    clearTimeout(this.#deadline);
    await super.onDispose();
  }

  override isNewest(): Promise<boolean> {
    return isNewestEpoch("game_sessions", this.roomId, this.data.stored.epoch);
  }

  get playerIds(): readonly string[] {
    return this.data.playerIds;
  }

  protected override mayReturn(userId: string): boolean {
    return this.playerIds.includes(userId);
  }

  protected override async save(tx: Tx, next: Played): Promise<void> {
    await saveSession(tx, this.#toSave(next));
    if (next.status !== "active") next.finished_at = await endSession(tx, next, next.status, next.position.standings);
  }

  protected override saveAlone(next: Played): Promise<unknown> {
    return next.status === "active" ? saveBatched(this.#toSave(next)) : super.saveAlone(next);
  }

  #toSave({ id, epoch, state, status, position }: Played): SessionSave {
    const dueMs = status === "active" ? position.deadlineMs : null;
    return { sessionId: id, epoch, state, dueMs };
  }

  protected override applied(_before: Played, { next }: Decision<Played>): void {
    if (!next) return;
    this.#show();
    this.#setDeadline();
  }

  #pushState(): void {
    for (const outgoing of this.data.stateEvents()) this.push(outgoing);
  }

  /** Shows the public view to spectators: native clients receive patches, others in the room an event. */
  #show(): void {
    const state = this.data.publicView();
    projectGame(this.state, state);
    if (this.clients.length > 0) this.broadcastPatch();
    const { id, room_id } = this.data.stored;
    if (!room_id) return;
    const push = { event: "game:state", payload: { session_id: id, state } } as const;
    notifyRoom(room_id, "room:push", { push, except: this.playerIds }).catch((error: unknown) =>
      logger.warn({ err: error, roomId: this.roomId }, "spectators were not notified"),
    );
  }

  /** The turn's clock. It belongs to the board, so it continues after a crash. */
  #setDeadline(): void {
    clearTimeout(this.#deadline);
    const { deadlineMs } = this.data;
    if (deadlineMs === null) return;
    const waitMs = Math.min(Math.max(0, deadlineMs - clock.now()), longestWaitMs);
    this.#deadline = setTimeout(() => void this.#timeout(), waitMs);
  }

  async #timeout(): Promise<void> {
    await this.#byItself("a turn's timeout could not be stored; it will be tried again", () => {
      const decision = timeout(this.data, clock.now());
      if (!decision) this.#setDeadline();
      return decision;
    });
  }

  /** Performs an action that no caller requested. Logs `remark` if it fails, and tries again. */
  async #byItself(remark: string, decide: () => Later<Decision<Played> | undefined>): Promise<void> {
    try {
      await this.act(decide);
    } catch (error) {
      if (error instanceof StaleActorError) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, remark);
      clearTimeout(this.#deadline);
      this.#deadline = setTimeout(() => void this.#timeout(), timeoutRetryMs);
    }
  }

  /** Learns which players are connected. Ends the game if they are too few for too long. */
  seen(online: ReadonlySet<string>): void {
    if (this.isEnding || !this.data.isActive) return;
    const { deadlineMs, game } = this.data;
    // A timer runs independently of the wall clock, which may have been set; and the process may have been paused.
    if (deadlineMs !== null && deadlineMs <= clock.now()) void this.#timeout();

    const before = this.data.connected;
    const connected = new Set(this.playerIds.filter((userId) => online.has(userId)));
    this.data.connected = connected;
    if (connected.size !== before.size || [...connected].some((userId) => !before.has(userId))) {
      this.#pushState();
      this.#show();
    }

    const enough = connected.size >= game.meta.min_players;
    this.#lonelySinceMs = enough ? null : (this.#lonelySinceMs ?? clock.now());
    if (this.#lonelySinceMs !== null && clock.now() - this.#lonelySinceMs >= abandonAfterMs)
      void this.#byItself("a game could not be abandoned", () => abandonment(this.data));
    void this.#expelWhoLeft();
  }

  /** Native spectators see the game by its state, for as long as they are in its room. */
  async #expelWhoLeft(): Promise<void> {
    const watching = this.clients.map((client) => nativeCaller(client).userId).filter((id) => !this.mayReturn(id));
    if (watching.length === 0) return;
    try {
      const present = await this.data.inRoom(watching);
      for (const userId of watching) if (!present.includes(userId)) this.expel(userId);
    } catch (error) {
      logger.warn({ err: error, roomId: this.roomId }, "spectators in the room could not be read");
    }
  }
}
