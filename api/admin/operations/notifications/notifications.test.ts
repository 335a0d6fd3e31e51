import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { sendDueBroadcasts, sendNextBatch } from "#shared/domain/operations/broadcasts/send-broadcasts.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { closeClients, connectSocket, type Payload } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { setStatus } from "#shared/testing/people.ts";
import { buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

const inDays = (days: number): string => new Date(clock.now() + daysMs(days)).toISOString();
const buildUsers = (count: number): Promise<BuiltUser[]> =>
  Promise.all(Array.from({ length: count }, () => buildUser()));
const idsOf = (users: readonly BuiltUser[]): string[] => users.map(({ id }) => id);

async function makeVip(user: BuiltUser): Promise<void> {
  const [plan, orderId] = [await buildPlan(), newId()];
  await query(
    `INSERT INTO payment_orders (id, user_id, kind, amount, currency, plan_id, duration_days, title, provider, expires_at)
     VALUES ($1, $2, 'vip', 29900, 'INR', $3, 30, 'VIP', 'sandbox', now() + interval '1 day')`,
    [orderId, user.id, plan.id],
  );
  await query(
    `INSERT INTO vip_periods (order_id, user_id, plan_id, starts_at, ends_at)
     VALUES ($1, $2, $3, now(), now() + interval '1 day')`,
    [orderId, user.id, plan.id],
  );
}

describe("broadcasts", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["notifications.read", "notifications.write"]);
  });
  afterEach(closeClients);

  const create = (fields: object, key = newId()) =>
    service.admin("post", "/notifications/broadcast", {
      token: admin.token,
      body: { title: "Festival", body: "Tonight at 8.", ...fields },
      headers: { "Idempotency-Key": key },
    });
  const get = async (path: string) => (await service.admin("get", path, { token: admin.token })).body.data;
  const stop = (id: string) => service.admin("post", `/notifications/${id}/stop`, { token: admin.token });
  const sent = (id: string) =>
    until("the broadcast is sent", async () => (await get(`/notifications/${id}`)).status === "sent", 15_000);
  /** Creates one that is due later, so that only the test sends it. */
  const schedule = async (users: readonly BuiltUser[]): Promise<string> =>
    (await create({ audience: "user_ids", user_ids: idsOf(users), scheduled_at: inDays(1) })).body.data.id;
  /** Of these users, those who were notified, once for each notification. */
  const notified = async (id: string, users: readonly BuiltUser[]): Promise<string[]> => {
    const rows = await query<{ user_id: string }>(
      "SELECT user_id FROM notifications WHERE data ->> 'broadcast_id' = $1 AND user_id = ANY($2::uuid[])",
      [id, idsOf(users)],
    );
    return rows.map(({ user_id }) => user_id).sort();
  };

  it("are notifications that no user caused, live and in the list", async () => {
    const user = await buildUser();
    const { inbox } = await connectSocket(service.url, user.token);

    const { status, body } = await create({ audience: "user_ids", user_ids: [user.id, newId()] });

    const shown = { type: "announcement", title: "Festival", body: "Tonight at 8." };
    const data = { user: null, count: 1, broadcast_id: body.data.id };
    expect([status, body.data.created_by]).to.deep.equal([201, admin.id]);
    await inbox.next("notification:new", ({ notification }: Payload) => notification.type === "announcement");
    const listed = await service.call("get", "/notifications", { token: user.token });
    expect(listed.body.data.items[0]).to.deep.include({ ...shown, data });
    await sent(body.data.id);
    expect(await get(`/notifications/${body.data.id}`)).to.include({ recipients: 1, notified: 1 });
  });

  it("reach their audience", async () => {
    const users = await buildUsers(3);
    const [vip, swiss, chosen] = users as [BuiltUser, BuiltUser, BuiltUser];
    await makeVip(vip);
    await query("UPDATE users SET country = 'CH' WHERE id = $1", [swiss.id]);

    const size = (fields: Record<string, string>) => get(`/notifications/audience?${new URLSearchParams(fields)}`);
    // Users who wait for their deletion are notified, too: they may take it back.
    const everyone = await query("SELECT 1 FROM users WHERE status IN ('active', 'deletion_pending')");
    expect(await size({ audience: "all" })).to.deep.equal({ recipients: everyone.length });
    expect(await size({ audience: "country", country: "ch" })).to.deep.equal({ recipients: 1 });
    expect(await get("/notifications/audience?audience=country")).to.equal(undefined);

    for (const [fields, expected] of [
      [{ audience: "all" }, users],
      [{ audience: "vip" }, [vip]],
      [{ audience: "country", country: "ch" }, [swiss]],
      [{ audience: "user_ids", user_ids: [chosen.id] }, [chosen]],
    ] as const) {
      const { id } = (await create(fields)).body.data;
      await sent(id);
      expect(await notified(id, users), fields.audience).to.deep.equal(idsOf(expected).sort());
      const { recipients, notified: count } = await get(`/notifications/${id}`);
      expect(count, fields.audience).to.equal(recipients);
    }
  });

  it("leave out suspended and deleted accounts, and users who register later", async () => {
    const users = await buildUsers(4);
    const [kept, suspended, deleted, late] = users as [BuiltUser, BuiltUser, BuiltUser, BuiltUser];
    await setStatus(suspended, "suspended");
    await setStatus(deleted, "deleted");
    await query("UPDATE users SET created_at = now() + interval '1 hour' WHERE id = $1", [late.id]);
    const id = await schedule(users);

    await sendNextBatch(id);

    expect(await notified(id, users)).to.deep.equal([kept.id]);
  });

  it("wait for their time", async () => {
    const users = await buildUsers(1);
    const id = await schedule(users);

    await sendDueBroadcasts();
    const before = await get(`/notifications/${id}`);
    await query("UPDATE broadcasts SET scheduled_at = now() WHERE id = $1", [id]);
    await sendDueBroadcasts();

    expect(before).to.include({ status: "scheduled", recipients: null, notified: 0, started_at: null });
    expect(await get(`/notifications/${id}`)).to.include({ status: "sent", recipients: 1, notified: 1 });
  });

  it("notify each user once, in batches, when runs overlap or repeat", async () => {
    const users = await buildUsers(5);
    const id = await schedule(users);

    await sendNextBatch(id, 2);
    const progress = await get(`/notifications/${id}`);
    await Promise.all([1, 2, 3].map(() => sendNextBatch(id, 2)));
    await sendNextBatch(id, 2);

    expect(progress).to.include({ status: "sending", recipients: 5, notified: 2, ended_at: null });
    expect(await get(`/notifications/${id}`)).to.include({ status: "sent", recipients: 5, notified: 5 });
    expect(await notified(id, users)).to.deep.equal(idsOf(users).sort());
  });

  it("repeat no user of a batch whose progress was lost", async () => {
    const users = await buildUsers(3);
    const id = await schedule(users);
    await sendNextBatch(id, 2);
    await query("UPDATE broadcasts SET cursor = '00000000-0000-0000-0000-000000000000' WHERE id = $1", [id]);

    await sendNextBatch(id);

    expect(await notified(id, users)).to.deep.equal(idsOf(users).sort());
    expect(await get(`/notifications/${id}`)).to.include({ status: "sent", notified: 3 });
  });

  it("lose no user of a batch that failed", async () => {
    const users = await buildUsers(3);
    const id = await schedule(users);
    await query("ALTER TABLE broadcasts ADD CONSTRAINT fails CHECK (notified = 0) NOT VALID");

    const failure = await sendNextBatch(id, 2).catch((error: unknown) => error);
    await query("ALTER TABLE broadcasts DROP CONSTRAINT fails");
    const afterFailure = await notified(id, users);
    await sendNextBatch(id);

    expect(failure).to.be.an("error");
    expect(afterFailure).to.deep.equal([]);
    expect(await notified(id, users)).to.deep.equal(idsOf(users).sort());
  });

  it("stop between batches, once", async () => {
    const users = await buildUsers(3);
    const id = await schedule(users);

    await sendNextBatch(id, 2);
    const stops = await Promise.all([stop(id), stop(id)]);
    await sendNextBatch(id, 2);

    expect(stops.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    expect(await get(`/notifications/${id}`)).to.include({ status: "stopped", recipients: 3, notified: 2 });
    expect(await notified(id, users)).to.have.length(2);
    expect(
      await query("SELECT action, before, after FROM audit_log WHERE target_id = $1 ORDER BY id", [id]),
    ).to.deep.include({
      action: "broadcast.stop",
      before: { status: "sending" },
      after: { status: "stopped", notified: 2 },
    });
  });

  it("are created once for each Idempotency-Key", async () => {
    const fields = { audience: "country", country: "LI", scheduled_at: inDays(2) };
    const key = newId();

    const answers = await Promise.all([1, 2].map(() => create(fields, key)));
    const other = await create({ ...fields, title: "Another" }, key);

    expect(new Set(answers.map(({ body }) => body.data.id)).size).to.equal(1);
    expect(other.body.error.code).to.equal("IDEMPOTENCY_CONFLICT");
  });

  it("are listed by status and audience", async () => {
    const users = await buildUsers(1);
    const [waiting, stopped] = [await schedule(users), await schedule(users)];
    await stop(stopped);
    const listed = async (filter: string): Promise<string[]> =>
      (await get(`/notifications?created_by=${admin.id}&limit=100&${filter}`)).items.map(({ id }: Payload) => id);

    expect((await listed("status=scheduled"))[0]).to.equal(waiting);
    expect((await listed("status=stopped"))[0]).to.equal(stopped);
    expect(await listed("audience=vip")).to.not.include(waiting);
  });

  it("reject bad input", async () => {
    const user_ids = [newId()];
    for (const fields of [
      {},
      { audience: "friends" },
      { audience: "all", title: "" },
      { audience: "all", body: "x".repeat(501) },
      { audience: "all", country: "IN" },
      { audience: "vip", user_ids },
      { audience: "country" },
      { audience: "country", country: "XX" },
      { audience: "country", country: "IN", user_ids },
      { audience: "user_ids" },
      { audience: "user_ids", user_ids: [] },
      { audience: "user_ids", user_ids: ["ada"] },
      { audience: "user_ids", user_ids: Array.from({ length: 1001 }, newId) },
      { audience: "all", scheduled_at: inDays(-1) },
      { audience: "all", scheduled_at: inDays(366) },
      { audience: "all", scheduled_at: "tomorrow" },
    ])
      expect((await create(fields)).body.error?.code, JSON.stringify(fields).slice(0, 80)).to.equal("VALIDATION_ERROR");
    for (const answer of [
      await stop(newId()),
      await service.admin("get", `/notifications/${newId()}`, { token: admin.token }),
    ])
      expect(answer.body.error.code).to.equal("NOT_FOUND");
  });
});
