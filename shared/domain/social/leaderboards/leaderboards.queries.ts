import type { Leaderboard, LeaderboardScope, RoomRank, UserCard, UserRank } from "#shared/contracts/views.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { protectedFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { isActiveId } from "#shared/domain/identity/users/relation-columns.ts";
import { userCardJson } from "#shared/domain/identity/users/user-cards.queries.ts";
import { roomCards } from "#shared/domain/live/rooms/rooms.queries.ts";
import { clock } from "#shared/kernel/clock.ts";
import { weekOf } from "./week.ts";

export interface LeaderboardQuery {
  readonly scope: LeaderboardScope;
  readonly limit: number;
}

type Me = Leaderboard["me"];

/**
 * Returns the leaders of this week as the viewer may see them: without users and rooms that aren't visible to everyone,
 * and without users between whom and the viewer a block stands. Ranks count only what the viewer may see, so that no
 * gap reveals the others. Equal scores rank in the order in which they were reached. Minors whom the settings hide from
 * search earn no points; what they had earned before counts in the ranks of others until the week ends.
 */
export async function getLeaderboard(viewerId: string, { scope, limit }: LeaderboardQuery): Promise<Leaderboard> {
  const { monday, startsAt, endsAt } = weekOf(clock.now());
  const week = { period: "weekly", starts_at: startsAt, ends_at: endsAt } as const;
  if (scope === "popular_rooms") {
    const ranks = leadingRooms(viewerId, monday, limit);
    const [items, me] = await Promise.all([ranks, placeOfBestRoom(viewerId, monday)]);
    return { scope, ...week, items, me };
  }
  const ranks = leadingUsers(viewerId, scope, monday, limit);
  const [items, me] = await Promise.all([ranks, placeOfUser(viewerId, scope, monday)]);
  return { scope, ...week, items, me };
}

/** The order of the index that all of these statements walk. */
const byRank = "ORDER BY s.score DESC, s.reached_at, s.subject_id";
/** Whether `s` ranks before `mine`. */
const isAhead = `s.score >= mine.score AND (s.score > mine.score
  OR (s.reached_at, s.subject_id) < (mine.reached_at, mine.subject_id))`;

// OFFSET 0 keeps the subquery as it is: one lookup by primary key for each rank, and only the requested ranks.
const leadingUsersQuery = () => `SELECT s.score, u.card
  FROM leaderboard_scores s CROSS JOIN LATERAL (
    SELECT ${userCardJson} AS card FROM users u
    WHERE u.id = s.subject_id AND u.status = 'active'
      AND (u.id = $3 OR NOT ${protectedFrom("search")}) OFFSET 0
  ) u
  WHERE s.scope = $1 AND s.week = $2 AND s.subject_id NOT IN (SELECT blocked_people($3))
  ${byRank} LIMIT $4`;

async function leadingUsers(
  viewerId: string,
  scope: LeaderboardScope,
  monday: string,
  limit: number,
): Promise<UserRank[]> {
  const values = [scope, monday, viewerId, limit];
  const rows = await queryAnywhere<{ score: number; card: UserCard }>(leadingUsersQuery(), values);
  return rows.map(({ score, card }, index) => ({ rank: index + 1, score, user: card }));
}

/**
 * Counts everyone ahead along the index, and subtracts those whom the viewer can't see. Users suspended before this
 * week have no score in it, so there are few to look up.
 */
const placeOfUserQuery = `WITH mine AS (
    SELECT score, reached_at, subject_id FROM leaderboard_scores WHERE scope = $1 AND week = $2 AND subject_id = $3
  ), unseen AS (
    SELECT id FROM users WHERE status = 'suspended' AND suspended_at >= ($2::date)::timestamp AT TIME ZONE 'UTC'
    UNION SELECT id FROM users WHERE status = 'deletion_pending'
    UNION SELECT blocked_people($3)
  )
  SELECT mine.score,
    1 + (SELECT count(*) FROM leaderboard_scores s WHERE s.scope = $1 AND s.week = $2 AND ${isAhead})
      - (SELECT count(*) FROM unseen CROSS JOIN LATERAL (
           SELECT 1 FROM leaderboard_scores s
           WHERE s.scope = $1 AND s.week = $2 AND s.subject_id = unseen.id AND ${isAhead} OFFSET 0
         ) ahead) AS rank
  FROM mine`;

async function placeOfUser(viewerId: string, scope: LeaderboardScope, monday: string): Promise<Me> {
  return (await queryOne<NonNullable<Me>>(placeOfUserQuery, [scope, monday, viewerId])) ?? null;
}

/** A room that everyone can see, and between whose host and the viewer `$2` no block stands. */
const isListed = `r.status = 'open' AND NOT r.is_private AND r.host_id NOT IN (SELECT blocked_people($2))
  AND ${isActiveId("r.host_id")}`;
const listedRoom = `CROSS JOIN LATERAL (SELECT 1 FROM rooms r WHERE r.id = s.subject_id AND ${isListed} OFFSET 0) room`;

const leadingRoomsQuery = `SELECT s.score, s.subject_id AS room_id FROM leaderboard_scores s ${listedRoom}
  WHERE s.scope = 'popular_rooms' AND s.week = $1 ${byRank} LIMIT $3`;

async function leadingRooms(viewerId: string, monday: string, limit: number): Promise<RoomRank[]> {
  const rows = await query<{ score: number; room_id: string }>(leadingRoomsQuery, [monday, viewerId, limit]);
  const cards = await roomCards(rows.map(({ room_id }) => room_id));
  return rows.map(({ score, room_id }, index) => ({ rank: index + 1, score, room: cards.get(room_id)! }));
}

/** There are far fewer rooms than users: this looks up each one ahead. */
const placeOfBestRoomQuery = `WITH mine AS (
    SELECT s.score, s.reached_at, s.subject_id
    FROM rooms r JOIN leaderboard_scores s ON s.scope = 'popular_rooms' AND s.week = $1 AND s.subject_id = r.id
    WHERE r.host_id = $2 AND r.status = 'open' AND NOT r.is_private ${byRank} LIMIT 1
  )
  SELECT mine.score, 1 + (
    SELECT count(*) FROM leaderboard_scores s ${listedRoom}
    WHERE s.scope = 'popular_rooms' AND s.week = $1 AND ${isAhead}
  ) AS rank FROM mine`;

async function placeOfBestRoom(viewerId: string, monday: string): Promise<Me> {
  return (await queryOne<NonNullable<Me>>(placeOfBestRoomQuery, [monday, viewerId])) ?? null;
}
