import pLimit from "p-limit";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { engine } from "../../../engine/engine.ts";
import { insertUsers } from "../insert-users.ts";
import { callerOf } from "../people.ts";

/** So many wait for their turn at once: on a busy machine, 300 wait for longer than a room lets them. */
const atOnce = 20;

/** Has new users join a room of this process, without connections. Returns their IDs, in the order of their joins. */
export async function fillRoom(roomId: string, count: number): Promise<string[]> {
  const ids = await inTransaction((tx) => insertUsers((sql, values) => tx.query(sql, values), count));
  const limit = pLimit(atOnce);
  const joins = ids.map((id) =>
    limit(() =>
      engine().directory.call("voice_room", roomId, { principal: callerOf({ id }), action: "room:join", input: {} }),
    ),
  );
  for (const result of await Promise.all(joins)) unwrap(result);
  const rows = await query<{ user_id: string }>("SELECT user_id FROM room_presence WHERE room_id = $1", [roomId]);
  if (rows.length < count) throw new Error(`${rows.length} of ${count} are in the room`);
  return ids;
}
