/** Thrown when an actor writes and a newer one owns what it stands for (a room, a lobby, a game): it must retire. */
export class StaleActorError extends Error {
  constructor(id: string, epoch: number) {
    super(`the actor of ${id} with epoch ${epoch} is not the newest`);
    this.name = "StaleActorError";
  }
}
