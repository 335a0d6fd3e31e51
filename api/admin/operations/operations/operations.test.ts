import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { configureMail } from "#shared/domain/identity/mail/send.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("GET /admin/health", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin(["health.read", "health.write"]);
  });

  const health = async () => (await service.admin("get", "/health", { token: admin.token })).body.data;

  it("measures each part, and says what isn't configured", async () => {
    const { database, engine, jobs, outbox, redis, voice, mail, sms, push, versions, uptime_seconds } = await health();

    for (const part of [database, engine, jobs, outbox]) expect(part).to.include({ status: "up", error: null });
    for (const part of [redis, mail, sms, push])
      expect(part).to.include({ status: "not_configured", latency_ms: null, error: null });
    expect(voice.status).to.be.oneOf(["not_configured", "up"]);
    expect(database.latency_ms).to.be.above(0);
    expect(engine.nodes).to.have.length(1);
    expect(outbox.lag_seconds).to.be.within(0, 60);
    expect(uptime_seconds).to.be.above(0);
    expect(versions).to.include({ node: process.versions.node });
    expect(versions.database).to.match(/^1[678]\./);
  });

  describe("with carriers that don't respond", () => {
    let silent: Server;
    before(async () => {
      silent = createServer(() => undefined).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      configureMail({
        smtp: { url: `smtp://127.0.0.1:${port}`, from: "Hubbub <no-reply@example.com>" },
        smsWebhook: { url: "http://127.0.0.1:1/send" },
        keepsUnsent: true,
      });
    });
    after(() => {
      configureMail({ keepsUnsent: true });
      silent.close();
    });

    it("reports them as down within the deadline, and the rest as it is", async () => {
      const started = performance.now();
      const { status, database, mail, sms } = await health();

      expect(performance.now() - started).to.be.below(8000);
      expect(status).to.equal("degraded");
      expect(database.status).to.equal("up");
      expect(mail).to.include({ status: "down", error: "no response within 2 s" });
      expect(sms.status).to.equal("down");
      expect(sms.error).to.be.a("string").and.not.equal("");
    });
  });

  async function deadJob(kind: string, source = newId()): Promise<{ id: string; source: string }> {
    const row = await queryOne<{ id: string }>(
      `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
       VALUES ('dead_letters', '{}', $1, $2, now(), 2, '{"message": "Error: out of luck"}') RETURNING id`,
      [kind, source],
    );
    return { id: row!.id, source };
  }
  const retry = async (id: string) => {
    const { body } = await service.admin("post", `/health/dead-jobs/${id}/retry`, { token: admin.token, body: {} });
    return body.error?.code ?? "ok";
  };
  const isDead = async (id: string) =>
    Boolean(await queryOne("SELECT 1 FROM pgboss.job WHERE name = 'dead_letters' AND id = $1", [id]));

  it("retries a dead-lettered job of which another waits, by that one", async () => {
    const waiting = await queryOne<{ id: string }>(
      `INSERT INTO pgboss.job (name, data, policy, start_after)
       VALUES ('statistics.count', '{}', 'exclusive', now() + interval '1 hour') ON CONFLICT DO NOTHING RETURNING id`,
    );
    const { id } = await deadJob("statistics.count");
    try {
      expect([await retry(id), await isDead(id), await retry(id)]).to.deep.equal(["ok", false, "NOT_FOUND"]);
    } finally {
      await query("DELETE FROM pgboss.job WHERE id = $1", [waiting?.id]);
    }
  });

  it("keeps a dead-lettered job of a kind that no longer exists", async () => {
    const { id } = await deadJob("a.kind_of_before");
    expect([await retry(id), await isDead(id)]).to.deep.equal(["CONFLICT", true]);
    await query("DELETE FROM pgboss.job WHERE id = $1", [id]);
  });

  it("lists dead-lettered jobs, which can be retried once", async () => {
    const row = await deadJob("statistics.count");
    const { source } = row;
    const path = `/health/dead-jobs/${row.id}/retry`;
    const listed = (await service.admin("get", "/health/dead-jobs?limit=100", { token: admin.token })).body.data.items;
    const degraded = await health();

    const retried = await service.admin("post", path, { token: admin.token, body: {} });
    const again = await service.admin("post", path, { token: admin.token, body: {} });

    expect(listed.find(({ id }: { id: string }) => id === row.id)).to.include({
      job: "statistics.count",
      tries: 3,
      error: "Error: out of luck",
    });
    expect([degraded.status, degraded.jobs.dead > 0]).to.deep.equal(["degraded", true]);
    expect([retried.status, again.body.error.code]).to.deep.equal([200, "NOT_FOUND"]);
    await until("the job has run", async () =>
      Boolean(await queryOne("SELECT 1 FROM pgboss.job WHERE source_root_id = $1 AND state = 'completed'", [source])),
    );
  });

  it("lists dead-lettered domain events without their payloads, which can be retried once", async () => {
    const { id: userId } = await buildUser();
    const [letter] = await query<{ id: number }>(
      `INSERT INTO outbox_dead_letters (id, topic, payload, slot, target, attempts, error, created_at)
       VALUES (nextval(pg_get_serial_sequence('outbox_deliveries', 'id')), 'dm.read', $1, 3, $2, 10, 'Error: poison', now())
       RETURNING id`,
      [JSON.stringify({ secret: "of two" }), `user:${userId}`],
    );
    const path = `/health/dead-events/${letter!.id}/retry`;
    const listed = (await service.admin("get", "/health/dead-events", { token: admin.token })).body.data;

    const retried = await service.admin("post", path, { token: admin.token, body: {} });
    const again = await service.admin("post", path, { token: admin.token, body: {} });

    const found = listed.find(({ id }: { id: number }) => id === letter!.id);
    expect(found).to.include({ topic: "dm.read", target: `user:${userId}`, attempts: 10, error: "Error: poison" });
    expect(found).not.to.have.property("payload");
    expect([retried.status, again.body.error.code]).to.deep.equal([200, "NOT_FOUND"]);
    await query("DELETE FROM outbox_deliveries WHERE id = $1", [letter!.id]);
  });
});

describe("POST /admin/maintenance", () => {
  const service = useService();

  it("keeps users out with a message, and lets them in again", async () => {
    const [admin, user] = [await buildAdmin(["system.maintenance"]), await buildUser()];
    const set = (body: object) => service.admin("post", "/maintenance", { token: admin.token, body });
    const call = () => service.call("get", "/wallet", { token: user.token });
    try {
      const begun = await set({ enabled: true, message: "Back at noon." });
      const refused = await call();
      await set({ enabled: true });
      const usual = await call();

      expect(begun.body.data).to.deep.equal({ enabled: true, message: "Back at noon." });
      expect(refused.body.error).to.include({ code: "MAINTENANCE", message: "Back at noon." });
      expect(usual.body.error.message).to.equal("The service is down for maintenance.");
    } finally {
      await set({ enabled: false });
    }
    expect((await call()).status).to.equal(200);
  });
});
