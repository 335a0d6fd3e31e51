import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { firstIdAt, newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltRoom, buildRoom } from "#shared/testing/factories.ts";
import { until } from "#shared/testing/until.ts";
import { type ChatRow, chatLog } from "./chat-log.ts";
import { claimRooms } from "./room-state.ts";

describe("the chat of a room that gets a new actor", () => {
  useDatabase();
  let room: BuiltRoom;
  let row: ChatRow;
  const claim = async () => (await claimRooms([room.id])).get(room.id)!;
  /** Outside the test's transaction, which sees the activity of its first look only. */
  const waitsForLock = (statement: string) => async () =>
    (
      await outsideTransaction(() =>
        query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1",
          [`${statement}%`],
        ),
      )
    ).length > 0;

  beforeEach(async () => {
    room = await buildRoom();
    const { epoch } = await claim();
    row = {
      id: newId(),
      roomId: room.id,
      epoch,
      userId: room.host.id,
      kind: "text",
      body: "Good evening!",
      mentions: [],
      clientId: newId(),
      createdAt: new Date().toISOString(),
    };
  });

  it("doesn't get what the old actor was storing when the new one claimed it", async () => {
    let storing: ReturnType<typeof chatLog.add>;
    await inTransaction(async (tx) => {
      await tx.query("UPDATE room_states SET epoch = epoch + 1 WHERE room_id = $1", [room.id]);
      storing = chatLog.add(row);
      await until("the message waits for the claim", waitsForLock("INSERT INTO room_messages"));
    });

    expect(await storing!).to.deep.equal({ kind: "stale" });
  });

  it("is complete when the new actor reads it", async () => {
    let storing: ReturnType<typeof chatLog.add>;
    let claiming: ReturnType<typeof claim>;
    await inTransaction(async (tx) => {
      await tx.query("SELECT FROM users WHERE id = $1 FOR UPDATE", [row.userId]);
      storing = chatLog.add(row);
      await until("the message waits for its writer", waitsForLock("INSERT INTO room_messages"));
      claiming = outsideTransaction(claim);
      await until("the claim waits for the message", waitsForLock("INSERT INTO room_states"));
    });

    expect(await storing!).to.deep.equal({ kind: "stored" });
    expect((await claiming!).lastMessageId).to.equal(row.id);
  });

  it("stores a client_id once, also in the next month and its partition", async () => {
    const [last] = await query<{ from: string }>(
      `SELECT "from" FROM table_partitions WHERE "table" = 'room_messages' AND "until" IS NULL`,
    );
    const [id, later] = [-1, 1].map((days) => firstIdAt(Date.parse(last!.from) + daysMs(days)));
    expect(await chatLog.add({ ...row, id: id! })).to.deep.equal({ kind: "stored" });
    expect(await chatLog.add({ ...row, id: later! })).to.deep.equal({ kind: "repeated", id });

    expect(await chatLog.add({ ...row, id: later!, clientId: newId() })).to.deep.equal({ kind: "stored" });
    const partitions = await query("SELECT DISTINCT tableoid FROM room_messages WHERE room_id = $1", [room.id]);
    expect(partitions).to.have.length(2);
  });

  it("doesn't wait while the room's state is written", async () => {
    await inTransaction(async (tx) => {
      await tx.query("UPDATE room_states SET live = live WHERE room_id = $1", [room.id]);

      expect(await chatLog.add(row)).to.deep.equal({ kind: "stored" });
    });
  });
});
