import type { GameInputs, GameServiceInputs } from "#shared/contracts/game-actions.ts";
import type { Lobby } from "#shared/contracts/views/game-views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { areBlocked, mustNotBeBlocked } from "#shared/domain/blocks/blocks.queries.ts";
import { gameOf, lobbyView } from "#shared/domain/games/games.queries.ts";
import { claimLobby, findLobby, type LobbyPlayer, type LobbyRow, saveLobby } from "#shared/domain/games/lobby-state.ts";
import { newSeed, SeededRandom } from "#shared/domain/games/random.ts";
import { insertSession } from "#shared/domain/games/session-state.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { ActorRoom, type Command } from "../../core/actor-room.ts";
import { gameKind, lobbyKind } from "../../core/kinds.ts";
import { engine } from "../../engine.ts";
import { presentIn } from "./present-in.ts";

/** An actor that nobody asks anything ends; the lobby stays, and its next actor goes on. */
const idleMs = 60_000;

const notInRoom = () => new DomainError("NOT_A_MEMBER", "Join the lobby's room first.");

interface Change {
  readonly row: LobbyRow;
  /** Further rows that belong to it. */
  readonly durable?: (tx: Tx) => Promise<void>;
}

/** The actor of one lobby that is open: who is in it and ready, until it starts or is cancelled. */
export class LobbyRoom extends ActorRoom<object> {
  override state = {};
  protected override readonly kind = lobbyKind;

  #row!: LobbyRow;
  #lastAskedMs = clock.now();

  static override onAuth = (): never => {
    // Clients see a lobby by its events and by REST; there is no state to join.
    throw new DomainError("NOT_FOUND");
  };

  protected override async open(lobbyId: string): Promise<void> {
    const row = await claimLobby(lobbyId);
    if (!row) throw new DomainError((await findLobby(lobbyId)) ? "LOBBY_NOT_OPEN" : "NOT_FOUND");
    this.#row = row;
    this.clock.setInterval(() => {
      if (clock.now() - this.#lastAskedMs > idleMs) this.end();
    }, idleMs / 4);
  }

  protected override async close(): Promise<void> {}

  protected override async act({ caller, action, input }: Command): Promise<Lobby> {
    this.#lastAskedMs = clock.now();
    const userId = caller?.userId;
    if (action === "lobby:join") await this.#mayJoin(userId!);
    const lobby = await this.mailbox.run(
      async () => {
        if (this.#row.status !== "open") throw new DomainError("LOBBY_NOT_OPEN");
        const here = action === "lobby:start" ? await this.#inRoom(this.#playerIds()) : [];
        await this.#carryOut(this.#decide(action, userId, input, here));
        if (action === "lobby:join") await this.#mayStay(userId!);
        return lobbyView(this.#row);
      },
      { beyondLimit: caller === null },
    );
    if (lobby.session_id) await this.#wake(lobby.session_id);
    return lobby;
  }

  /** The game's actor tells the players that it is on. Should it not be made now, whoever looks at the game makes it. */
  async #wake(sessionId: string): Promise<void> {
    try {
      await engine().directory.ensure(gameKind, sessionId);
    } catch (error) {
      logger.warn({ err: error, sessionId }, "the actor of a game that begins was not made");
    }
  }

  /** What is asked of others before the turn. @throws BLOCKED, NOT_A_MEMBER */
  async #mayJoin(userId: string): Promise<void> {
    await mustNotBeBlocked(userId, this.#row.host_id);
    if ((await this.#inRoom([userId])).length === 0) throw notInRoom();
  }

  /** A block that was made while he came in may not have found him in it. @throws BLOCKED */
  async #mayStay(userId: string): Promise<void> {
    if (!(await areBlocked(userId, this.#row.host_id))) return;
    await this.#carryOut(this.#expel(userId));
    throw new DomainError("BLOCKED");
  }

  /** Who of these is in the room that the lobby belongs to; all of them if it belongs to none. */
  async #inRoom(user_ids: readonly string[]): Promise<readonly string[]> {
    const { room_id } = this.#row;
    return room_id ? presentIn(room_id, user_ids) : user_ids;
  }

  /** @param here the players who are in the lobby's room, of a start */
  #decide(action: string, userId: string | undefined, input: unknown, here: readonly string[]): Change {
    if (action === "lobby:cancel") return { row: { ...this.#row, status: "cancelled" } };
    if (action === "lobby:expel") return this.#expel((input as GameServiceInputs["lobby:expel"]).user_id);
    assert(userId, "a person asks for this");
    switch (action) {
      case "lobby:join":
        return this.#join(userId);
      case "lobby:ready":
        return this.#ready(userId, (input as GameInputs["lobby:ready"]).ready ?? true);
      case "lobby:leave":
        return this.#leave(userId);
      case "lobby:start":
        return this.#start(userId, here);
      default:
        throw new Error(`the lobby has no action ${action}`);
    }
  }

  #join(userId: string): Change {
    const { players, type } = this.#row;
    if (players.some((player) => player.userId === userId)) return { row: this.#row };
    if (players.length >= gameOf(type).meta.max_players) throw new DomainError("LOBBY_FULL");
    return this.#withPlayers([...players, { userId, ready: false }]);
  }

  /** The host always counts as ready. */
  #ready(userId: string, ready: boolean): Change {
    this.#mustBeIn(userId);
    const of = (player: LobbyPlayer) =>
      player.userId === userId ? { userId, ready: ready || this.#isHost(userId) } : player;
    return this.#withPlayers(this.#row.players.map(of));
  }

  #leave(userId: string): Change {
    this.#mustBeIn(userId);
    if (this.#isHost(userId)) return { row: { ...this.#row, status: "cancelled" } };
    return this.#withPlayers(this.#row.players.filter((player) => player.userId !== userId));
  }

  #expel(userId: string): Change {
    return this.#playerIds().includes(userId) ? this.#leave(userId) : { row: this.#row };
  }

  /** Whoever has left the room meanwhile is not taken along. */
  #start(userId: string, here: readonly string[]): Change {
    this.#mustBeIn(userId);
    if (!this.#isHost(userId)) throw new DomainError("FORBIDDEN", "Only the host of the lobby may start.");
    if (!here.includes(userId)) throw notInRoom();
    const { type, id, room_id } = this.#row;
    const players = this.#row.players.filter((player) => here.includes(player.userId));
    const game = gameOf(type);
    if (players.length < game.meta.min_players) throw new DomainError("NOT_ENOUGH_PLAYERS");
    if (players.some(({ ready }) => !ready)) throw new DomainError("PLAYERS_NOT_READY");
    const seed = newSeed();
    const random = new SeededRandom(seed);
    const userIds = players.map((player) => player.userId);
    const board = game.start(userIds, { random, nowMs: clock.now() });
    const state = { players: userIds, board, version: 1, draws: random.draws, actionIds: {} };
    const dueMs = game.deadlineMs(board);
    const row: LobbyRow = { ...this.#row, players, status: "in_game" };
    return {
      row,
      durable: async (tx) => {
        row.session_id = await insertSession(tx, { lobbyId: id, type, roomId: room_id, seed, state, dueMs });
      },
    };
  }

  #withPlayers = (players: readonly LobbyPlayer[]): Change => ({ row: { ...this.#row, players } });

  #playerIds = (): string[] => this.#row.players.map(({ userId }) => userId);

  #isHost = (userId: string): boolean => this.#row.host_id === userId;

  #mustBeIn(userId: string): void {
    if (!this.#row.players.some((player) => player.userId === userId))
      throw new DomainError("NOT_A_MEMBER", "You are not in this lobby.");
  }

  async #carryOut({ row, durable }: Change): Promise<void> {
    if (row === this.#row) return;
    await inTransaction(async (tx) => {
      await durable?.(tx);
      await saveLobby(tx, row);
      await tx.publish("lobby.changed", { lobby_id: row.id });
    });
    this.#row = row;
    if (row.status !== "open") this.clock.setTimeout(() => this.end(), 0);
  }
}
