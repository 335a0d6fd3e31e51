import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import pg from "pg";
import { defaultUserSettings } from "#shared/domain/identity/users/user-settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { runProgram, type SpawnedService, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

/**
 * `KILL_ROUNDS=50 KILL_SEED=7 npm test -- api/admin/kills.test.ts` kills more often, or repeats the choices of a run.
 */
const rounds = Number(process.env.KILL_ROUNDS ?? 2);
const seed = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
/** How many writes of a round are acknowledged before the kill, at least. */
const writesBeforeKill = 40;
/** The connections of the test itself. */
const own = "kills";
/** Users of the broadcast that is being sent at the first kill: some batches. */
const audience = 6000;

/** An entry that a write leaves in the audit log, and the change that it is about. */
interface Effect {
  readonly action: string;
  /** Whether the record has the change. */
  readonly isThere: () => Promise<boolean>;
  readonly target?: string;
}

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Default: the first administrator. */
  readonly token?: string;
  readonly effects: readonly Effect[];
}

/** A write that was sent. Its user agent, which no other has, finds its entries. */
interface Sent extends Write {
  readonly userAgent: string;
  outcome: "acknowledged" | "unknown";
}

describe("writes of administrators, with kill -9 in between", function () {
  this.timeout(120_000 + rounds * 60_000);
  let folder: string;
  let environment: Record<string, string>;
  let service: SpawnedService;
  let db: pg.Pool;
  let [one, two]: string[] = [];
  const sent: Sent[] = [];

  const rows = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await db.query(text, [...values])).rows;
  const exists =
    (text: string, ...values: unknown[]) =>
    async (): Promise<boolean> =>
      (await rows(text, values)).length > 0;
  const absent =
    (text: string, ...values: unknown[]) =>
    async (): Promise<boolean> =>
      (await rows(text, values)).length === 0;

  /** Takes the next user, room, report, ticket, or post that no write has been about. */
  const untouched = new Map<string, string[]>();
  const take = (kind: string): string => untouched.get(kind)!.pop()!;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "kills-"));
    const password = "an administrator's long password";
    environment = {
      DATABASE_URL: await createDatabase({ migrated: true }),
      DATA_DIR: folder,
      JWT_SECRET: "one secret for all runs, of 40 characters",
      ADMIN_EMAIL: "one@example.com",
      ADMIN_PASSWORD: password,
    };
    db = new pg.Pool({ connectionString: environment.DATABASE_URL, application_name: own });
    service = await spawnService(environment);
    await rows(`INSERT INTO admins (id, email, full_name, password_hash, role_id)
      SELECT gen_random_uuid(), name || '@example.com', 'Root', password_hash, role_id FROM admins, unnest('{two,three}'::text[]) AS name`);
    await furnish();
    await rows(`INSERT INTO settings (key, value) VALUES ('adjustment_approval_above', '500')`);
    [one, two] = await Promise.all(
      ["one", "two"].map(async (name) => {
        const body = { email: `${name}@example.com`, password };
        return (await service.call("post", "/admin/login", { body })).body.data.token as string;
      }),
    );
  });
  after(async () => {
    await stopServices();
    await db.end();
    await rm(folder, { recursive: true, force: true });
  });

  async function furnish(): Promise<void> {
    const count = 400 * rounds;
    await rows(
      `INSERT INTO users (id, settings, full_name, username, email, password_hash)
      SELECT gen_random_uuid(), $1, 'Ada', 'user' || n, 'user' || n || '@example.com', '-'
      FROM generate_series(1, ${audience}) AS n`,
      [JSON.stringify(defaultUserSettings)],
    );
    await rows("INSERT INTO wallets (user_id) SELECT id FROM users");
    const some = `(SELECT id, row_number() OVER () AS n FROM users LIMIT ${count}) AS u`;
    await rows(`INSERT INTO rooms (id, host_id, name, category, language, seat_count)
      SELECT gen_random_uuid(), id, 'New', 'music', 'en', 8 FROM ${some}`);
    await rows(`INSERT INTO posts (id, author_id, content) SELECT gen_random_uuid(), id, 'Hello' FROM ${some}`);
    await rows(`INSERT INTO support_tickets (id, user_id, email, subject, message)
      SELECT gen_random_uuid(), id, 'a@example.com', 'Help', 'It is broken' FROM ${some}`);
    await rows(`INSERT INTO reports (id, reporter_id, target_type, target_id, target_user_id, reason, evidence)
      SELECT gen_random_uuid(), (SELECT id FROM users OFFSET ${count} LIMIT 1), 'user', id, id, 'Noise', '{}' FROM ${some}`);
    for (const [kind, table] of Object.entries({
      room: "rooms",
      post: "posts",
      ticket: "support_tickets",
      report: "reports",
    }))
      untouched.set(
        kind,
        (await rows<{ id: string }>(`SELECT id FROM ${table}`)).map(({ id }) => id),
      );
    const apart = await rows<{ id: string }>(`SELECT id FROM users OFFSET ${count + 1} LIMIT ${count}`);
    untouched.set(
      "user",
      apart.map(({ id }) => id),
    );
  }

  /** Each returns its next write, which changes only what is its own. `name` is new, `pick` chooses. */
  type Worker = (name: string, pick: number) => Promise<Write>;

  /** Creates, changes, and deletes a plain record, again and again. */
  const managed =
    (type: string, path: string, table: string, column: string, sample: object): Worker =>
    async (name, pick) => {
      const found = `SELECT id FROM ${table} WHERE ${column} = $1`;
      const [record] = await rows<{ id: string }>(`SELECT id FROM ${table} WHERE ${column} LIKE 'kills-%'`);
      const named = [{ action: `${type}.${record ? "update" : "create"}`, isThere: exists(found, name) }];
      if (!record) return { method: "post", path, body: { ...sample, [column]: name }, effects: named };
      const own = `${path}/${record.id}`;
      if (pick % 3 > 0) return { method: "patch", path: own, body: { [column]: name }, effects: named };
      const isThere = absent(`SELECT 1 FROM ${table} WHERE id = $1`, record.id);
      return { method: "delete", path: own, effects: [{ action: `${type}.delete`, isThere }] };
    };

  const workers: Record<string, Worker> = {
    gift_category: managed("gift_category", "/gift-categories", "gift_categories", "name", {}),
    coin_package: managed("coin_package", "/coin-packages", "coin_packages", "name", {
      ...{ coins: 550, bonus_coins: 50, price: 49_900, currency: "INR" },
    }),
    event: managed("event", "/events", "campaigns", "title", {
      ...{ starts_at: "2026-01-01T00:00:00.000Z", ends_at: "2099-01-01T00:00:00.000Z" },
    }),
    setting: async (app_name) => {
      const isThere = exists("SELECT 1 FROM settings WHERE key = 'app_name' AND value = to_jsonb($1::text)", app_name);
      return {
        method: "patch",
        path: "/settings",
        body: { app_name },
        effects: [{ action: "setting.change", isThere }],
      };
    },
    maintenance: async (message) => {
      const isThere = exists(
        "SELECT 1 FROM settings WHERE key = 'maintenance_message' AND value = to_jsonb($1::text)",
        message,
      );
      const effects = ["maintenance_mode", "maintenance_message"].map((target) => ({
        ...{ action: "setting.change", target, isThere },
      }));
      return { method: "post", path: "/maintenance", body: { enabled: false, message }, effects };
    },
    role: async (name, pick) => {
      const role_name = name.replaceAll("-", "_");
      const [role] = await rows<{ id: string; permissions: string[] }>(
        "SELECT id, permissions FROM roles WHERE name LIKE 'kills%' ORDER BY created_at DESC LIMIT 1",
      );
      if (!role || pick % 4 === 0) {
        const isThere = exists("SELECT 1 FROM roles WHERE name = $1", role_name);
        const body = { name: role_name, permissions: [] };
        return { method: "post", path: "/roles", body, effects: [{ action: "role.create", isThere }] };
      }
      const permissions = role.permissions.includes("gifts.read") ? ["gifts.write"] : ["gifts.read"];
      const isThere = exists("SELECT 1 FROM roles WHERE id = $1 AND permissions = $2", role.id, permissions);
      const effects = [{ action: "role.update", target: role.id, isThere }];
      return { method: "put", path: `/roles/${role.id}/permissions`, body: { permissions }, effects };
    },
    admin: async (full_name) => {
      const [three] = await rows<{ id: string }>("SELECT id FROM admins WHERE email = 'three@example.com'");
      const isThere = exists("SELECT 1 FROM admins WHERE full_name = $1", full_name);
      const effects = [{ action: "admin.update", target: three!.id, isThere }];
      return { method: "patch", path: `/admins/${three!.id}`, body: { full_name }, effects };
    },
    suspension: async (reason) => {
      const [user] = await rows<{ id: string }>(
        "SELECT id FROM users WHERE status = 'suspended' AND suspended_reason LIKE 'kills-%'",
      );
      const id = user?.id ?? take("user");
      const [verb, status] = user ? ["reactivate", "active"] : ["suspend", "suspended"];
      const isThere = exists("SELECT 1 FROM users WHERE id = $1 AND status = $2", id, status);
      const effects = [{ action: `user.${verb}`, target: id, isThere }];
      return { method: "post", path: `/users/${id}/${verb}`, body: user ? {} : { reason }, effects };
    },
    adjustment: async (reason, pick) => {
      const [pending] = await rows<{ id: string }>("SELECT id FROM balance_adjustments WHERE status = 'pending'");
      if (pending) {
        const [verb, status] = pick % 2 ? ["approve", "approved"] : ["decline", "declined"];
        const isThere = exists("SELECT 1 FROM balance_adjustments WHERE id = $1 AND status = $2", pending.id, status);
        const effects = [{ action: `adjustment.${verb}`, target: pending.id, isThere }];
        return { method: "post", path: `/adjustments/${pending.id}/${verb}`, token: two!, effects };
      }
      const id = take("user");
      const isThere = exists("SELECT 1 FROM balance_adjustments WHERE reason = $1", reason);
      const effects = [{ action: "user.adjust_balance", target: id, isThere }];
      return {
        method: "post",
        path: `/users/${id}/adjust-balance`,
        body: { amount: 1 + (pick % 300), reason },
        effects,
      };
    },
    report: async (note, pick) => {
      const id = take("report");
      const [report] = await rows<{ user: string }>('SELECT target_user_id AS "user" FROM reports WHERE id = $1', [id]);
      const closed = exists("SELECT 1 FROM reports WHERE id = $1 AND status <> 'open'", id);
      const suspended = exists("SELECT 1 FROM users WHERE id = $1 AND status = 'suspended'", report!.user);
      const action = pick % 2 ? { action: "suspend" } : {};
      return {
        method: "post",
        path: `/reports/${id}/resolve`,
        body: { resolution: "resolved", note, ...action },
        effects: [
          { action: "report.resolve", target: id, isThere: closed },
          ...(pick % 2 ? [{ action: "user.suspend", target: report!.user, isThere: suspended }] : []),
        ],
      };
    },
    ticket: async (message) => {
      const id = take("ticket");
      const isThere = exists("SELECT 1 FROM ticket_answers WHERE message = $1", message);
      const effects = [{ action: "ticket.respond", target: id, isThere }];
      return { method: "post", path: `/tickets/${id}/respond`, body: { message }, effects };
    },
    room: async (reason) => {
      const id = take("room");
      const isThere = exists("SELECT 1 FROM rooms WHERE id = $1 AND status = 'closed'", id);
      return {
        method: "post",
        path: `/rooms/${id}/close`,
        body: { reason },
        effects: [{ action: "room.close", target: id, isThere }],
      };
    },
    posts: async (reason) => {
      const ids = [take("post"), take("post"), take("post")];
      const effects = ids.map((target) => ({
        ...{
          action: "post.hide",
          target,
          isThere: exists("SELECT 1 FROM posts WHERE id = $1 AND status = 'hidden'", target),
        },
      }));
      return { method: "post", path: "/posts/hide", body: { ids, reason }, effects };
    },
  };

  async function perform(write: Write, name: string): Promise<boolean> {
    const call: Sent = { ...write, userAgent: `tests/${name}`, outcome: "unknown" };
    sent.push(call);
    const headers = { "user-agent": call.userAgent, "idempotency-key": name };
    const answer = await service
      .call(write.method, `/admin${write.path}`, {
        token: write.token ?? one!,
        headers,
        ...(write.method !== "delete" && { body: write.body ?? {} }),
      })
      .catch(() => undefined);
    if (!answer) return false;
    // The response of a process that is being killed says nothing; all others do.
    expect(answer.status, `${name}: ${JSON.stringify([write.path, write.body, answer.body])}`).to.be.oneOf([
      200, 201, 503,
    ]);
    if (answer.status < 300) call.outcome = "acknowledged";
    return call.outcome === "acknowledged";
  }

  const acknowledged = () => sent.filter(({ outcome }) => outcome === "acknowledged").length;

  /** Lets all workers write until the service is killed. */
  async function writeUntilKilled(round: number, mayKill: () => Promise<boolean>): Promise<void> {
    const before = acknowledged();
    const running = Object.entries(workers).map(async ([kind, next], index) => {
      const picks = fc.sample(fc.nat(1000), { numRuns: 2000, seed: seed + 1000 * round + index });
      for (const [count, pick] of picks.entries()) {
        const name = `kills-${kind}-${round}-${count}`;
        if (!(await perform(await next(name, pick), name))) return;
      }
    });
    const writing = Promise.all(running);
    await Promise.race([
      writing,
      until(
        "enough is acknowledged",
        async () => acknowledged() - before >= writesBeforeKill && (await mayKill()),
        60_000,
      ),
    ]);
    await service.stop("SIGKILL");
    await writing;
    // A COMMIT that had reached the database takes effect although no one waits for it.
    await until(
      "the transactions of the killed process have ended",
      absent(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name <> '${own}'
           AND backend_type = 'client backend'`,
      ),
    );
  }

  /** Compares what the log has of each write with what the records have of it. Returns how many entries there are. */
  async function expectEntries(writes: readonly Sent[]): Promise<number> {
    let total = 0;
    for (const { userAgent, outcome, effects, method, path } of writes) {
      const entries = await rows<{ action: string; target: string }>(
        "SELECT action, target_id AS target FROM audit_log WHERE user_agent = $1",
        [userAgent],
      );
      const expected: Effect[] = [];
      for (const effect of effects) if (outcome === "acknowledged" || (await effect.isThere())) expected.push(effect);
      const text = `${method} ${path} (${outcome}) left ${JSON.stringify(entries)}`;
      expect(entries.map(({ action }) => action).toSorted(), text).to.deep.equal(
        expected.map(({ action }) => action).toSorted(),
      );
      for (const { target } of expected)
        if (target)
          expect(
            entries.map((entry) => entry.target),
            text,
          ).to.include(target);
      total += entries.length;
    }
    return total;
  }

  const broadcast = async (title: string): Promise<string> => {
    const body = { title, body: "Tonight at 8.", audience: "all" };
    const answer = await service.call("post", "/admin/notifications/broadcast", { token: one!, body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.data.id;
  };
  const progressOf = async (id: string) =>
    (
      await rows<{ status: string; recipients: number; notified: number }>(
        "SELECT status, recipients, notified FROM broadcasts WHERE id = $1",
        [id],
      )
    )[0]!;
  const isUnderWay = async (id: string): Promise<boolean> => {
    const { notified, recipients } = await progressOf(id);
    return notified > 0 && notified < recipients;
  };
  const notifiedOf = (id: string) =>
    rows<{ user_id: string; events: number }>(
      "SELECT user_id, events::int FROM notifications WHERE data ->> 'broadcast_id' = $1",
      [id],
    );

  it("leave one entry each, and none without an effect; a broadcast reaches each user once", async () => {
    const id = await broadcast("Festival");
    let [checked, total] = [0, 0];
    try {
      for (let round = 1; round <= rounds; round += 1) {
        await writeUntilKilled(round, async () => round > 1 || (await isUnderWay(id)));
        const writes = sent.slice(checked);
        checked = sent.length;
        total += await expectEntries(writes);
        // The job that was sending died with its process: its heartbeat ends.
        await rows("UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'");
        await rows("UPDATE pgboss.queue SET monitor_claim_on = now() - interval '1 hour'");
        service = await spawnService(environment);
      }
    } catch (error) {
      throw new Error(`With KILL_SEED=${seed}: ${(error as Error).message}`, { cause: error });
    }

    const entries = await rows("SELECT 1 FROM audit_log WHERE user_agent LIKE 'tests/kills-%'");
    expect(entries.length).to.equal(total);
    expect(sent.filter(({ outcome }) => outcome === "unknown")).not.to.deep.equal([]);
    expect(new Set(sent.flatMap(({ effects }) => effects.map(({ action }) => action))).size).to.be.above(12);
    const check = await runProgram(["main.ts", "audit-check"], environment);
    expect(check.output).to.include("complete and unaltered");

    await until("the broadcast is sent", async () => (await progressOf(id)).status === "sent", 60_000);
    const notified = await notifiedOf(id);
    const { recipients, notified: counted } = await progressOf(id);
    expect(new Set(notified.map(({ user_id }) => user_id)).size).to.equal(notified.length);
    expect(notified.filter(({ events }) => events !== 1)).to.deep.equal([]);
    expect(counted).to.equal(notified.length);
    expect(counted).to.be.within(recipients - 10 * rounds * writesBeforeKill, recipients);
    expect(
      await rows(
        `SELECT id FROM users WHERE status = 'active' AND suspended_at IS NULL
           AND id NOT IN (SELECT user_id FROM notifications WHERE data ->> 'broadcast_id' = $1)
           AND id NOT IN (SELECT target_id::uuid FROM audit_log WHERE action = 'user.suspend')`,
        [id],
      ),
      "missed",
    ).to.deep.equal([]);
  });

  it("stop a broadcast between two batches", async () => {
    const id = await broadcast(`Again ${newId()}`);
    await until("it is under way", () => isUnderWay(id), 20_000);

    const stopped = await service.call("post", `/admin/notifications/${id}/stop`, { token: one!, body: {} });

    expect(stopped.body.data.status).to.equal("stopped");
    await until(
      "no job runs",
      absent("SELECT 1 FROM pgboss.job WHERE state = 'active' AND name LIKE 'notifications.broadcast%'"),
    );
    const { status, recipients, notified } = await progressOf(id);
    expect([status, notified]).to.deep.equal(["stopped", stopped.body.data.notified]);
    expect(await notifiedOf(id)).to.have.length(notified);
    expect(notified).to.be.below(recipients);
  });
});
