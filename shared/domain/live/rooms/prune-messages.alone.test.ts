import { expect } from "chai";
import pg from "pg";
import { service } from "#shared/contracts/principal.ts";
import { databaseUrl } from "#shared/db/database-address.ts";
import { allMigrations, migrate } from "#shared/db/migrate.ts";
import { divideDatabase } from "#shared/db/partition-table.ts";
import { makePartitions } from "#shared/db/partitions.ts";
import { query } from "#shared/db/query.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { type BuiltRoom, buildRoom } from "#shared/testing/factories.ts";
import { pruneRoomMessages } from "./prune-messages.ts";

/** An ID in the middle of a month, so many before this one. */
const idOf = (months: number): string => firstIdAt(startOfMonth(clock.now(), -months) + daysMs(15));

describe("messages of rooms that have expired", function () {
  this.timeout(60_000);
  let room: BuiltRoom;
  const mediaId = newId();
  const media = JSON.stringify({ id: mediaId, url: `/media/${mediaId}/original.webp` });
  const left = async (table: string) =>
    (await query<{ id: string }>(`SELECT ${table === "room_messages" ? "id" : "message_id AS id"} FROM ${table}`))
      .map(({ id }) => id)
      .sort();
  const partitions = async () =>
    (await query<{ name: string }>(`SELECT name FROM table_partitions ORDER BY "from" NULLS FIRST`)).map(
      ({ name }) => name,
    );
  const keep = (months: number) => changeSettings(service, { room_message_months: months });

  before(async () => {
    const url = await createDatabase({ migrated: false });
    await migrate(url, (await allMigrations()).slice(0, 1));
    await migrate(url);
    await divideDatabase(url, { room_messages: firstIdAt(startOfMonth(clock.now(), -4)) });
    await openDatabase(url);
    await makePartitions();
    room = await buildRoom();
    await query(
      `INSERT INTO media (id, user_id, purpose, state, content_type, bytes, sha256)
       VALUES ($1, $2, 'chat', 'ready', 'image/webp', 1, $3)`,
      [mediaId, room.host.id, "0".repeat(64)],
    );
    for (const months of [7, 6, 4, 3, 1, 0])
      await query(
        `INSERT INTO room_messages (id, room_id, user_id, body, media, reactions, edited_at)
         VALUES ($1, $2, $3, 'Hi', $4, '{"🔥": 1}', now())`,
        [idOf(months), room.id, room.host.id, months === 4 ? media : null],
      );
    await query(
      `INSERT INTO message_edits (message_id, user_id, body, edited_at) SELECT id, user_id, 'Ho', now() FROM room_messages`,
    );
    await query(
      "INSERT INTO message_reactions (message_id, user_id, emoji) SELECT id, user_id, '🔥' FROM room_messages",
    );
    await query(
      "INSERT INTO message_pins (message_id, place_id, pinned_by) SELECT id, room_id, user_id FROM room_messages",
    );
    await loadSettings();
  });
  after(closeDatabase);

  it("stay while the setting says nothing else", async () => {
    const before = [await left("room_messages"), await partitions()];
    await pruneRoomMessages();
    expect([await left("room_messages"), await partitions()]).to.deep.equal(before);
  });

  it("are deleted one by one from a partition that holds others", async () => {
    await keep(6);
    const before = await partitions();
    await pruneRoomMessages();
    expect(await left("room_messages")).to.deep.equal([6, 4, 3, 1, 0].map(idOf));
    expect(await left("message_edits")).to.deep.equal([6, 4, 3, 1, 0].map(idOf));
    expect(await partitions()).to.deep.equal(before);
  });

  it("go with their partition, and with all that belongs to them, while others use what they refer to", async () => {
    const other = new pg.Client({ connectionString: databaseUrl() });
    await other.connect();
    await other.query("BEGIN; SELECT FROM users, rooms FOR SHARE");
    expect(await query("SELECT FROM media WHERE id = $1 AND uses = 1", [mediaId])).to.have.length(1);
    await keep(3);
    await pruneRoomMessages();
    await other.end();
    for (const table of ["room_messages", "message_edits", "message_reactions", "message_pins"])
      expect(await left(table)).to.deep.equal([3, 1, 0].map(idOf));
    expect((await partitions())[0]).to.equal(
      `room_messages_${new Date(startOfMonth(clock.now(), -3)).toISOString().slice(0, 7).replace("-", "_")}`,
    );
    expect(await query("SELECT FROM media WHERE id = $1 AND uses = 0", [mediaId])).to.have.length(1);
  });

  it("aren't dropped by a process whose clock is wrong", async () => {
    const [oldest] = await partitions();
    const [row] = await query("SELECT drop_partition($1, 3, 1) AS dropped", [oldest]);
    expect(row).to.deep.equal({ dropped: false });
  });
});
