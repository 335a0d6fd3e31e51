import type { Client } from "@colyseus/core";
import Joi from "joi";
import type { Caller } from "#shared/contracts/caller.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { type GameInputs, gameActions } from "#shared/contracts/game-actions.ts";
import type { Session } from "#shared/contracts/game-views.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { Game, GameAction } from "#shared/domain/games/game.ts";
import { connectedAmong, gameOf, presentSession } from "#shared/domain/games/games.queries.ts";
import { SeededRandom } from "#shared/domain/games/random.ts";
import {
  claimSession,
  endSession,
  findSession,
  type SessionRow,
  type SessionState,
  saveSession,
} from "#shared/domain/games/session-state.ts";
import { StaleActorError } from "#shared/domain/rooms/room-state.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { authenticateNative, NativeDoor, type NativeHost } from "../../bridge/native-door.ts";
import { ActorRoom, type Command } from "../../core/actor-room.ts";
import { gameKind } from "../../core/kinds.ts";
import { toServerError } from "../../core/refusal.ts";
import { engine } from "../../engine.ts";
import { GameState, projectGame } from "./game.state.ts";

/** How often an actor looks who of its players is connected. */
const lookMs = 3000;
/** With fewer connected players than the game needs for so long, it is abandoned. */
const abandonAfterMs = 60_000;
/** The actor of a game that is over stays so long, so that everybody sees the end. */
const lingerMs = 10_000;
const rememberedActions = 100;
const timeoutRetryMs = 1000;

/** The actor of one game: hosts any game, by its rules. Each action is decided, stored, applied, and told, one at a time. */
export class GameRoom extends ActorRoom<GameState> implements NativeHost {
  override state = new GameState();
  protected override readonly kind = gameKind;

  #row!: SessionRow;
  #game!: Game;
  #cards!: Map<string, UserCard>;
  #connected: ReadonlySet<string> = new Set();
  /** Since when too few players are connected, milliseconds since 1970. */
  #lonelySinceMs: number | null = null;
  #native!: NativeDoor;
  #deadline: { clear(): void } | undefined;

  static override onAuth = authenticateNative(gameKind, "session_id");
  readonly joinAction = "game:view";

  protected override async open(sessionId: string): Promise<void> {
    const row = await claimSession(sessionId);
    if (!row) throw new DomainError((await findSession(sessionId)) ? "SESSION_FINISHED" : "NOT_FOUND");
    this.#row = row;
    this.#game = gameOf(row.type);
    this.#cards = await userCards(row.state.players);
    this.#connected = await connectedAmong(row.state.players);
    this.#native = new NativeDoor(this, []);
    this.#tell();
    this.#setDeadline();
    this.clock.setInterval(() => void this.#look(), lookMs);
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

  mayReturn(userId: string): boolean {
    return this.#row.state.players.includes(userId);
  }

  protected override async close(): Promise<void> {}

  protected override isStale(error: unknown): boolean {
    return error instanceof StaleActorError;
  }

  protected override async act({ caller, action, input }: Command): Promise<Session | object> {
    if (action === "connection:drop") return {};
    if (caller) await this.#mustSee(caller);
    if (action === "game:view") return this.#view(caller!.userId);
    return this.mailbox.run(
      async () => {
        if (action === "game:abandon") await this.#abandon();
        else await this.#act(caller!, input);
        return this.#view(caller?.userId ?? "");
      },
      { beyondLimit: caller === null },
    );
  }

  /** A game is seen by its players, and by whoever is in its room. @throws NOT_FOUND */
  async #mustSee({ userId }: Caller): Promise<void> {
    const { state, room_id } = this.#row;
    if (state.players.includes(userId)) return;
    const command = { caller: null, action: "room:present", input: { user_ids: [userId] } };
    const answer = room_id ? await engine().directory.callIfAlive(room_id, command) : undefined;
    const present = answer?.ok ? (answer.value as { present: string[] }).present : [];
    if (present.length === 0) throw new DomainError("NOT_FOUND", "There is no such game.");
  }

  async #act({ userId }: Caller, input: unknown): Promise<void> {
    const session_id = this.roomId;
    const checked = checkInput<GameInputs["game:action"]>(gameActions["game:action"].payload, {
      ...(input as object),
      session_id,
    });
    const { state, status } = this.#row;
    if (checked.action_id && state.actionIds.includes(`${userId} ${checked.action_id}`)) return;
    if (status !== "active") throw new DomainError("SESSION_FINISHED");
    if (!state.players.includes(userId)) throw new DomainError("FORBIDDEN", "You do not play in this game.");
    const action = this.#checkAction(checked.action);
    const chance = { random: this.#random(), nowMs: clock.now() };
    const board = this.#game.act(state.board, userId, action, chance);
    await this.#advance(board, chance.random, checked.action_id && `${userId} ${checked.action_id}`);
  }

  /** @throws VALIDATION_ERROR, ILLEGAL_ACTION for a kind that the game does not have */
  #checkAction(action: GameInputs["game:action"]["action"]): GameAction {
    const { actions } = this.#game;
    const members = Object.hasOwn(actions, action.kind) ? actions[action.kind] : undefined;
    if (!members)
      throw new DomainError("ILLEGAL_ACTION", `This game has the actions ${Object.keys(actions).join(", ")}.`);
    return checkInput<GameAction>(Joi.object({ kind: Joi.string(), ...members }), action);
  }

  #random = (): SeededRandom => new SeededRandom(this.#row.seed, this.#row.state.draws);

  /** Stores the next board, then shows it. */
  async #advance(board: object, random: SeededRandom, actionId?: string): Promise<void> {
    const { state } = this.#row;
    const next: SessionState = {
      ...state,
      board,
      version: state.version + 1,
      draws: random.draws,
      actionIds: actionId ? [...state.actionIds, actionId].slice(-rememberedActions) : state.actionIds,
    };
    await this.#store(next, this.#game.isOver(board) ? "finished" : "active");
  }

  async #abandon(): Promise<void> {
    if (this.#row.status === "active")
      await this.#store({ ...this.#row.state, version: this.#row.state.version + 1 }, "abandoned");
  }

  async #store(state: SessionState, status: SessionRow["status"]): Promise<void> {
    const finished_at = await inTransaction(async (tx) => {
      await saveSession(tx, this.roomId, this.#row.epoch, state);
      await this.#tellWhoIsAway(tx, state, status);
      if (status === "active") return null;
      return endSession(tx, this.#row, status, this.#game.standings(state.board));
    });
    this.#row = { ...this.#row, state, status, finished_at };
    this.#tell();
    this.#setDeadline();
    if (status !== "active") this.clock.setTimeout(() => this.end(), lingerMs);
  }

  async #tellWhoIsAway(tx: Tx, state: SessionState, status: SessionRow["status"]): Promise<void> {
    const userId = status === "active" ? this.#game.turn(state.board)?.userId : undefined;
    const before = this.#game.turn(this.#row.state.board)?.userId;
    if (!userId || userId === before || this.#connected.has(userId)) return;
    const { type } = this.#row;
    await tx.publish("game.turn_waits", { session_id: this.roomId, type, user_id: userId, version: state.version });
  }

  #view(viewerId: string): Session {
    return presentSession(this.#row, viewerId, this.#connected, (userId) => this.#cards.get(userId)!);
  }

  /** Each player gets the game as he may see it, everybody else in the room the public view. */
  #tell(): void {
    const { fanout, directory } = engine();
    const { state, room_id } = this.#row;
    const session_id = this.roomId;
    for (const userId of state.players)
      fanout.toUsers([userId], "game:state", { session_id, state: this.#view(userId) });
    const publicView = this.#view("");
    projectGame(this.state, publicView);
    if (!room_id) return;
    const payload = { session_id, state: publicView };
    const input = { event: "game:state", payload, except: state.players };
    void directory
      .callIfAlive(room_id, { caller: null, action: "room:tell", input })
      .catch((error: unknown) => logger.warn({ err: error, roomId: this.roomId }, "spectators were not told"));
  }

  /** The clock of the turn. It is the board's, so it runs on after a crash. */
  #setDeadline(): void {
    this.#deadline?.clear();
    const deadlineMs = this.#row.status === "active" ? this.#game.deadlineMs(this.#row.state.board) : null;
    if (deadlineMs === null) return;
    this.#deadline = this.clock.setTimeout(() => void this.#timeout(), Math.max(0, deadlineMs - clock.now()));
  }

  async #timeout(): Promise<void> {
    try {
      await this.mailbox.run(
        async () => {
          const { board } = this.#row.state;
          const deadlineMs = this.#game.deadlineMs(board);
          // Somebody acted while this waited for its turn, or the clock was moved.
          if (this.retired || this.#row.status !== "active" || deadlineMs === null) return;
          if (deadlineMs > clock.now()) return this.#setDeadline();
          const chance = { random: this.#random(), nowMs: clock.now() };
          await this.#advance(this.#game.timeout(board, chance), chance.random);
        },
        { beyondLimit: true },
      );
    } catch (error) {
      if (this.isStale(error)) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, "a turn's end could not be stored; it is tried again");
      this.#deadline = this.clock.setTimeout(() => void this.#timeout(), timeoutRetryMs);
    }
  }

  /** Who of the players is there? Too few for too long end the game. */
  async #look(): Promise<void> {
    if (this.retired || this.#row.status !== "active") return;
    // The timer counts by itself; the wall clock may have been set, or the process have stood still.
    const deadlineMs = this.#game.deadlineMs(this.#row.state.board);
    if (deadlineMs !== null && deadlineMs <= clock.now()) void this.#timeout();
    try {
      const connected = await connectedAmong(this.#row.state.players);
      const changed = connected.size !== this.#connected.size || [...connected].some((id) => !this.#connected.has(id));
      this.#connected = connected;
      if (changed) this.#tell();
      const enough = connected.size >= this.#game.meta.min_players;
      this.#lonelySinceMs = enough ? null : (this.#lonelySinceMs ?? clock.now());
      if (this.#lonelySinceMs !== null && clock.now() - this.#lonelySinceMs >= abandonAfterMs)
        await this.mailbox.run(() => this.#abandon(), { beyondLimit: true });
    } catch (error) {
      if (this.isStale(error)) return this.retire();
      logger.warn({ err: error, roomId: this.roomId }, "a game could not see who is there");
    }
  }
}
