import type { Tx } from "#shared/db/transaction.ts";
import { claimLobby, findLobby, type LobbyRow, saveLobby } from "#shared/domain/games/lobby-state.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { ActorRoom, type Command } from "../../core/actor-room.ts";
import { StoredData } from "../../core/decision.ts";
import { lobbyActorActions } from "./lobby.actions.ts";

/** An actor without commands ends after so long; the lobby stays, and its next actor goes on. */
const idleMs = 60_000;

/** The actor of one lobby that is open: who is in it and ready, until it starts or is cancelled. */
export class LobbyRoom extends ActorRoom<"game_lobby", StoredData<LobbyRow>, LobbyRow> {
  override state = {};
  override readonly kind = "game_lobby";
  protected override readonly actions = lobbyActorActions;

  #lastAskedMs = clock.now();

  static override onAuth = (): never => {
    // Clients see a lobby by its events and by REST; there is no state to join.
    throw new DomainError("NOT_FOUND");
  };

  protected override async load(lobbyId: string): Promise<StoredData<LobbyRow>> {
    const row = await claimLobby(lobbyId);
    if (!row) throw new DomainError((await findLobby(lobbyId)) ? "LOBBY_NOT_OPEN" : "NOT_FOUND");
    return new StoredData(row);
  }

  protected override begin(): void {
    this.clock.setInterval(() => {
      if (clock.now() - this.#lastAskedMs > idleMs) this.end();
    }, idleMs / 4);
  }

  override perform(command: Command): Promise<Result<unknown>> {
    this.#lastAskedMs = clock.now();
    return super.perform(command);
  }

  protected override assertOpenFor(): void {
    if (this.data.stored.status !== "open") throw new DomainError("LOBBY_NOT_OPEN");
  }

  protected override async save(tx: Tx, next: LobbyRow): Promise<void> {
    await saveLobby(tx, next);
    await tx.publish("lobby.updated", { lobby_id: next.id });
  }
}
