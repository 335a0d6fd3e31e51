import { query } from "#shared/db/query.ts";

/** Makes the actor of a room one that isn't the newest any longer: it ends at its next write, and has a successor. */
export const raiseEpoch = (roomId: string) =>
  query("UPDATE room_states SET epoch = epoch + 1 WHERE room_id = $1", [roomId]);
