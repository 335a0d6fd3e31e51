import { expect } from "chai";
import { games } from "#shared/domain/live/games/games.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { Watcher } from "#shared/testing/games/game-clients.ts";
import { chooser } from "#shared/testing/games/play-game.ts";
import { type WatchedTable, watchGame } from "#shared/testing/games/watched-game.ts";
import { useService } from "#shared/testing/service.ts";

/** A whole game of ludo has some hundred actions; what is hidden of it is the seed alone. */
const roundsMax = 60;

describe("what a player may not see, over each transport", function () {
  this.timeout(120_000);
  const service = useService();
  const watchers: Watcher[] = [];
  let table: WatchedTable;

  before(async () => {
    const people = await Promise.all(Array.from({ length: 9 }, () => buildUser()));
    watchers.push(...(await Promise.all(people.map((person) => Watcher.connect(service.url, person)))));
    const room = await buildRoom({ host: people[0]! });
    const spectator = watchers.at(-1)!;
    await spectator.enterRoom(room.id);
    table = { players: watchers.slice(0, 8), spectator, roomId: room.id };
  });
  after(() => {
    for (const watcher of watchers) watcher.close();
  });

  for (const { meta } of games.values())
    it(`is in no frame and no answer of a game of ${meta.type}`, async () => {
      const choose = chooser(meta.type.length);
      const { min_players, max_players } = meta;
      for (const count of [min_players, max_players, Math.min(min_players + 1, max_players)]) {
        const players = table.players.slice(0, count);
        const looked = await watchGame({ ...table, players }, { type: meta.type, choose, missOnceIn: 30, roundsMax });
        expect(looked.frames).to.be.greaterThan(looked.actions);
      }
    });
});
