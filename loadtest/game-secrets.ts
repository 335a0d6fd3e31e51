import type { GameMeta } from "#shared/contracts/games/game-spec.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { games } from "#shared/domain/live/games/games.ts";
import { Watcher } from "#shared/testing/games/game-clients.ts";
import { chooser } from "#shared/testing/games/play-game.ts";
import { type Looked, type WatchedTable, watchGame } from "#shared/testing/games/watched-game.ts";
import { mapConcurrently } from "./game-tables.ts";
import { printTable, say } from "./report.ts";
import { openRoom, register, type Service, startService } from "./service.ts";

interface Options {
  games: number;
  tables: number;
}

/** The maximum number of players in a game. */
const playersMax = Math.max(...[...games.values()].map(({ meta }) => meta.max_players));

/** Number of games played by the same people, within the 15 minutes for which their access tokens are valid. */
const batchSize = 250;

/**
 * Plays games of each type over Socket.IO, REST, and Colyseus, with markers in all hidden data, and searches every
 * frame and response for the markers. Stops at the first leak.
 */
export async function gameSecrets({ games: gamesEach, tables }: Options): Promise<void> {
  const service = await startService();
  try {
    await openDatabase(service.databaseUrl);
    const rows: Record<string, string | number>[] = [];
    for (const { meta } of games.values()) {
      const startedMs = performance.now();
      const total: Looked = { frames: 0, errors: 0, actions: 0 };
      for (let first = 0; first < gamesEach; first += batchSize)
        await playBatch(service, meta, { first, count: Math.min(batchSize, gamesEach - first), tables, total });
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
      rows.push({ game: meta.type, games: gamesEach, ...total, leaks: 0, seconds });
      say(`${meta.type}: ${gamesEach} games, no leaks`);
    }
    printTable(rows);
  } finally {
    await service.stop();
  }
}

interface Batch {
  readonly first: number;
  readonly count: number;
  readonly tables: number;
  readonly total: Looked;
}

async function playBatch(service: Service, meta: GameMeta, { first, count, tables, total }: Batch): Promise<void> {
  const free = await Promise.all((await seat(service, tables)).map((people) => sitDown(service, people)));
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  await mapConcurrently(numbers, tables, async (number) => {
    const table = free.pop()!;
    const playerCount = meta.min_players + (number % (meta.max_players - meta.min_players + 1));
    const players = table.players.slice(0, playerCount);
    const options = { type: meta.type, choose: chooser(number), missOnceIn: 10 };
    const looked = await watchGame({ ...table, players }, options);
    for (const what of ["frames", "errors", "actions"] as const) total[what] += looked[what];
    free.push(table);
  });
  for (const { players, spectator } of free) for (const watcher of [...players, spectator]) watcher.close();
}

async function seat(service: Service, tableCount: number) {
  const people = await register(service, tableCount * (playersMax + 1));
  return Array.from({ length: tableCount }, () => people.splice(0, playersMax + 1));
}

async function sitDown(service: Service, people: Awaited<ReturnType<typeof register>>): Promise<WatchedTable> {
  const { id: roomId } = await openRoom(service, people[0]!);
  const watchers = await Promise.all(people.map((person) => Watcher.connect(service.url, person)));
  const spectator = watchers.pop()!;
  await spectator.enterRoom(roomId);
  return { players: watchers, spectator, roomId };
}
