import { GroupCommit } from "#shared/db/group-commit.ts";
import { query, queryColumn, queryOne } from "#shared/db/query.ts";
import { onActorPool } from "#shared/db/sequelize.ts";
import { alone } from "#shared/db/transaction.ts";

/**
 * A user enters a room. `join_id` names the membership, so that a late message about an old one can't end a newer one.
 */
export interface Entry {
  readonly userId: string;
  readonly roomId: string;
  readonly joinId: string;
}

/** `previous`: where the user was before. `blocked`: they and the host of the new room have a block between them. */
export interface Entered {
  readonly previous: { readonly room_id: string; readonly join_id: string } | null;
  readonly blocked: boolean;
}

/**
 * Records the rooms that users are in. Each user is in one room at a time, the one they joined last. Many users join at
 * the same moment, so those who join together share a statement. A user has one entry in progress at a time. `blocked`
 * is read with it, because a block may have been created while they joined.
 */
export const entries = new GroupCommit<Entry, Entered>((rows) => onActorPool(() => recordEntries(rows)));

async function recordEntries(rows: readonly Entry[]): Promise<Entered[]> {
  const recorded = await alone<{ user_id: string; room_id: string | null; join_id: string | null; blocked: boolean }>(
    `INSERT INTO room_presence AS p (user_id, room_id, join_id)
     SELECT e.user_id, e.room_id, e.join_id FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS e (user_id, room_id, join_id)
     ORDER BY e.user_id
     ON CONFLICT (user_id) DO UPDATE SET room_id = EXCLUDED.room_id, join_id = EXCLUDED.join_id,
       previous_room_id = p.room_id, previous_join_id = p.join_id
     RETURNING user_id, previous_room_id AS room_id, previous_join_id AS join_id,
       is_blocked_between(user_id, (SELECT host_id FROM rooms r WHERE r.id = p.room_id)) AS blocked`,
    [rows.map(({ userId }) => userId), rows.map(({ roomId }) => roomId), rows.map(({ joinId }) => joinId)],
  );
  const byUser = new Map(recorded.map((row) => [row.user_id, row]));
  return rows.map(({ userId }) => {
    const { room_id, join_id, blocked } = byUser.get(userId)!;
    return { previous: room_id && join_id ? { room_id, join_id } : null, blocked };
  });
}

/** `joinIds`: the recorded memberships. `others`: the users, by room, whose memberships ended. */
interface Stay {
  readonly joinIds: ReadonlySet<string>;
  readonly others: ReadonlyMap<string, readonly { user_id: string }[]>;
}

/**
 * Records the memberships with which the new actors of rooms start, and ends those of earlier actors. Users who are in
 * another room by now stay there.
 */
export async function stayInRooms(roomIds: readonly string[], memberships: readonly Entry[]): Promise<Stay> {
  const stayed = await alone<{ join_id: string }>(
    `INSERT INTO room_presence AS p (user_id, room_id, join_id)
     SELECT DISTINCT ON (m.user_id) m.user_id, m.room_id, m.join_id
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS m (user_id, room_id, join_id)
     LEFT JOIN room_presence known ON known.user_id = m.user_id AND known.room_id = m.room_id
     ORDER BY m.user_id, known.user_id NULLS LAST
     ON CONFLICT (user_id) DO UPDATE SET join_id = EXCLUDED.join_id WHERE p.room_id = EXCLUDED.room_id
     RETURNING join_id`,
    [
      memberships.map(({ userId }) => userId),
      memberships.map(({ roomId }) => roomId),
      memberships.map(({ joinId }) => joinId),
    ],
  );
  const joinIds = stayed.map(({ join_id }) => join_id);
  const ended = await alone<{ room_id: string; user_id: string }>(
    `DELETE FROM room_presence WHERE room_id = ANY ($1::uuid[]) AND join_id <> ALL ($2::uuid[])
     RETURNING room_id, user_id`,
    [roomIds, joinIds],
  );
  return { joinIds: new Set(joinIds), others: Map.groupBy(ended, ({ room_id }) => room_id) };
}

/**
 * Records memberships of users who are recorded in no room. Returns the users who are recorded in another one: they
 * joined it when this record was missing.
 */
export async function recordAgain(memberships: readonly Entry[]): Promise<Set<string>> {
  const elsewhere = await alone<{ user_id: string }>(
    `WITH held AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS m (user_id, room_id, join_id)),
       added AS (INSERT INTO room_presence SELECT * FROM held ORDER BY user_id ON CONFLICT (user_id) DO NOTHING)
     SELECT user_id FROM room_presence p JOIN held USING (user_id) WHERE p.room_id <> held.room_id`,
    [
      memberships.map(({ userId }) => userId),
      memberships.map(({ roomId }) => roomId),
      memberships.map(({ joinId }) => joinId),
    ],
  );
  return new Set(elsewhere.map(({ user_id }) => user_id));
}

/** Returns which of these users are in another room than this one. */
export async function usersElsewhere(roomId: string, userIds: readonly string[]): Promise<Set<string>> {
  const sql = "SELECT user_id FROM room_presence WHERE user_id = ANY ($2::uuid[]) AND room_id <> $1";
  return new Set(await queryColumn(sql, [roomId, userIds]));
}

/** Ends a membership. Returns whether it was still the recorded one. */
export async function exitRoom(userId: string, joinId: string): Promise<boolean> {
  const gone = await alone("DELETE FROM room_presence WHERE user_id = $1 AND join_id = $2 RETURNING 1", [
    userId,
    joinId,
  ]);
  return gone.length > 0;
}

/** Returns the users of these sessions who are in a room, with the room. */
export const roomsOfSessions = (
  sessionIds: readonly string[],
): Promise<{ session_id: string; user_id: string; room_id: string }[]> =>
  query(
    `SELECT s.id AS session_id, p.user_id, p.room_id FROM sessions s JOIN room_presence p ON p.user_id = s.user_id
     WHERE s.id = ANY($1::uuid[])`,
    [sessionIds],
  );

/** Returns the room that a user is in. */
export async function roomOf(userId: string): Promise<string | undefined> {
  const row = await queryOne<{ room_id: string }>("SELECT room_id FROM room_presence WHERE user_id = $1", [userId]);
  return row?.room_id;
}
