import { deleteBatch } from "#shared/db/batches.ts";

/** Deletes expired bans, in batches; a job calls it. Returns the number of rows. */
export const pruneBans = (most = 5000): Promise<number> =>
  deleteBatch({ from: "room_bans", key: "ctid", where: "banned_until <= now()" }, most);
