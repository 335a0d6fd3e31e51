import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { pruneAll, prunings } from "./prune.ts";
import { timetable } from "./timetable.ts";

describe("timed jobs", () => {
  useService();

  const runAll = async () => {
    for (const { job, some } of prunings) await pruneAll(job.name, some);
  };

  it("take away what has expired and leave the rest; run twice they find nothing more", async () => {
    const scope = newId();
    await query(
      `INSERT INTO idempotency_keys (scope, key, request_hash, created_at)
       VALUES ($1, 'old', '', now() - interval '25 hours'), ($1, 'new', '', now() - interval '23 hours')`,
      [scope],
    );
    const [gone, kept] = [await buildUser(), await buildUser()];
    await query("UPDATE sessions SET expires_at = now() - interval '31 days' WHERE id = $1", [gone.sessionId]);
    await query("UPDATE refresh_tokens SET expires_at = now() WHERE session_id = $1", [gone.sessionId]);
    const room = await buildRoom();
    await query(
      `INSERT INTO room_bans (room_id, user_id, banned_by, banned_until)
       VALUES ($1, $2, $4, now() - interval '1 minute'), ($1, $3, $4, now() + interval '1 minute')`,
      [room.id, gone.id, kept.id, room.host.id],
    );
    await query(`INSERT INTO voice_grants (room_id, user_id, media_right) VALUES ($1, $2, 'listen'), ($1, $3, NULL)`, [
      room.id,
      gone.id,
      kept.id,
    ]);
    const left = async () => ({
      keys: (await query("SELECT key FROM idempotency_keys WHERE scope = $1", [scope])).map(({ key }) => key),
      sessions: (await query("SELECT 1 FROM sessions WHERE user_id = ANY($1::uuid[])", [[gone.id, kept.id]])).length,
      banned: (await query("SELECT user_id FROM room_bans WHERE room_id = $1", [room.id])).map((row) => row.user_id),
      holders: (await query("SELECT user_id FROM voice_grants WHERE room_id = $1", [room.id])).map(
        (row) => row.user_id,
      ),
    });
    const expected = { keys: ["new"], sessions: 1, banned: [kept.id], holders: [kept.id] };
    await runAll();
    expect(await left()).to.deep.equal(expected);
    await runAll();
    expect(await left()).to.deep.equal(expected);
  });

  it("are in the timetable, and run in the background", async () => {
    const scheduled = await query("SELECT name, cron FROM pgboss.schedule ORDER BY name");
    const named = timetable.map(({ job, cron }) => ({ name: job.name, cron }));
    expect(scheduled).to.deep.equal(named.sort((a, b) => (a.name < b.name ? -1 : 1)));
    const scope = newId();
    await query(
      "INSERT INTO idempotency_keys (scope, key, request_hash, created_at) VALUES ($1, 'k', '', now() - interval '2 days')",
      [scope],
    );
    const [keys] = prunings;
    await inTransaction((tx) => tx.enqueue(keys.job, {}));
    await until("the key is gone", async () => {
      return (await query("SELECT 1 FROM idempotency_keys WHERE scope = $1", [scope])).length === 0;
    });
  });
});
