import { isNewestEpoch } from "#shared/db/epochs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { claimLobby, findLobby, type LobbyRow, saveLobby } from "#shared/domain/live/games/lobby-state.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { ActorRoom } from "../../core/actor-room.ts";
import { StoredData } from "../../core/decision.ts";
import { lobbyActorActions } from "./lobby.actions.ts";

/**
 * The actor of one lobby that is open: who is in it and ready, until it starts or is cancelled. Clients see a lobby by
 * its events and by REST; there is no state to join.
 */
export class LobbyRoom extends ActorRoom<"game_lobby", StoredData<LobbyRow>, LobbyRow> {
  override state = {};
  override readonly kind = "game_lobby";
  protected override readonly actions = lobbyActorActions;

  protected override async load(lobbyId: string): Promise<StoredData<LobbyRow>> {
    const row = await claimLobby(lobbyId);
    if (!row) throw new DomainError((await findLobby(lobbyId)) ? "LOBBY_NOT_OPEN" : "NOT_FOUND");
    return new StoredData(row);
  }

  override isNewest(): Promise<boolean> {
    return isNewestEpoch("game_lobbies", this.roomId, this.data.stored.epoch);
  }

  protected override assertOpenFor(): void {
    if (this.data.stored.status !== "open") throw new DomainError("LOBBY_NOT_OPEN");
  }

  protected override async save(tx: Tx, next: LobbyRow): Promise<void> {
    await saveLobby(tx, next);
    await tx.publish("lobby.updated", { lobby_id: next.id });
  }
}
