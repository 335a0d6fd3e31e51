/** Thrown when an actor writes although a newer actor owns its room, lobby, or game. The older actor must then stop. */
export class StaleActorError extends Error {
  constructor(id: string, epoch: number) {
    super(`the actor of ${id} with epoch ${epoch} is not the newest`);
    this.name = "StaleActorError";
  }
}
