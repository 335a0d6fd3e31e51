import type { Redis } from "ioredis";
import type { Place, World } from "./world.ts";

type Rows = <Row extends object>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Each room has one actor, each user is shown where they are, and nothing remains of processes that are gone. */
export async function checkGhosts(world: World, rows: Rows, redis: Redis): Promise<string[]> {
  const found = await Promise.all(world.places.map((place) => checkPresence(place, rows, redis)));
  return [...found.flat(), ...(await checkKeys(redis))];
}

async function checkPresence({ id, people }: Place, rows: Rows, redis: Redis): Promise<string[]> {
  const users = people.map(({ account }) => account.id);
  const [, owners] = (await redis.pubsub("NUMSUB", `$${id}`)) as [string, number];
  const present = await rows("SELECT FROM room_presence WHERE room_id = $1 AND user_id = ANY($2)", [id, users]);
  const online = await rows(
    "SELECT DISTINCT user_id FROM online_users WHERE user_id = ANY($1) AND lease_until > now()",
    [users],
  );
  const [live] = await rows<{ member_count: number }>("SELECT member_count FROM live_rooms WHERE room_id = $1", [id]);
  const isThere: [string, number | undefined, number][] = [
    [`actors of room ${id}`, owners, 1],
    [`users known to be in room ${id}`, present.length, users.length],
    [`users of room ${id} that are online`, online.length, users.length],
    [`members with which room ${id} is listed`, live?.member_count, users.length],
  ];
  return isThere.flatMap(([what, count, due]) => (count === due ? [] : [`There are ${count} ${what}, not ${due}.`]));
}

/** The hashes whose fields are processes. */
const processHashes = ["roomcount", "hubbub:nodes", "hubbub:nodes:leaving", "hubbub:loads"];

/** Redis lists only processes that are alive, and only their actors, and nothing is being made. */
async function checkKeys(redis: Redis): Promise<string[]> {
  const channels = (await redis.pubsub("CHANNELS", "p:*")) as string[];
  const alive = new Set(channels.map((channel) => channel.slice("p:".length)));
  const differences: string[] = [];
  for (const hash of processHashes)
    for (const id of await redis.hkeys(hash))
      if (!alive.has(id)) differences.push(`${hash} lists ${id}, which is gone.`);
  for (const [id, row] of Object.entries(await redis.hgetall("roomcaches"))) {
    const { processId, name } = JSON.parse(row) as { processId: string; name: string };
    if (!alive.has(processId)) differences.push(`The ${name} ${id} is listed in ${processId}, which is gone.`);
  }
  const locks = await redis.keys("hubbub:making:*");
  return [...differences, ...locks.map((lock) => `${lock} is left over.`)];
}
