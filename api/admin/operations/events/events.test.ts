import { expect } from "chai";
import { eventTopics, kindOf, publicData } from "#shared/contracts/event-data.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { logEvents, pruneLog, readLog } from "#shared/domain/operations/events/event-log.ts";
import { loadWanted } from "#shared/domain/operations/events/wanted.ts";
import { newId } from "#shared/kernel/ids.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { Receiver } from "#shared/testing/webhooks.ts";

/** Tickets are events that nothing else follows from. */
const opened = (...ids: readonly string[]) =>
  inTransaction((tx) =>
    tx.publishAll(
      "ticket.opened",
      ids.map((ticket_id) => ({ ticket_id, user_id: null })),
    ),
  );

describe("event endpoints", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let receiver: Receiver;
  before(async () => {
    admin = await buildAdmin();
  });
  beforeEach("starts a server of the operator", async () => {
    receiver = await Receiver.start();
  });
  afterEach(async () => {
    for (const { id } of (await call("get", "")).body.data.items) await call("delete", `/${id}`);
    await receiver.stop();
  });

  const call = (method: string, path: string, body?: object) =>
    service.admin(method, `/event-endpoints${path}`, { token: admin.token, ...(body && { body }) });
  async function build(body: object = {}): Promise<{ id: string; secret: string }> {
    const answer = await call("post", "", { url: receiver.url, kinds: ["ticket.opened"], ...body });
    expect([answer.status, answer.body.error]).to.deep.equal([201, undefined]);
    return answer.body.data;
  }
  const received = () => receiver.received.map(({ body }) => JSON.parse(body));
  const tickets = () => received().map(({ data }) => data.ticket_id);
  const got = (...ids: readonly string[]) =>
    until(`the server has got ${ids.length}`, () => ids.every((id) => tickets().includes(id)));
  const deliveries = async (id: string, more = "") => (await call("get", `/${id}/deliveries${more}`)).body.data.items;

  it("hear of a registration, signed, and show how they answered", async () => {
    const { id, secret } = await build({ kinds: ["user.registered"] });
    const registered = await service.call("post", "/auth/register", {
      body: {
        ...{ full_name: "Ada", username: `ada_${newId().slice(-8)}`, email: `${newId()}@example.com` },
        ...{ password: "tolerable machines", confirm_password: "tolerable machines", terms_accepted: true },
      },
    });
    const { id: user_id } = registered.body.data.user;
    await until("it has heard of it", () => receiver.received.length > 0);
    await until("the answer is recorded", async () => (await deliveries(id, "?status=delivered")).length === 1);

    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const event = JSON.parse(body);
    expect(event).to.deep.equal({
      ...{ type: "user.registered", timestamp: event.timestamp, data: { user_id, is_guest: false } },
    });
    expect(Date.parse(event.timestamp)).to.be.closeTo(Date.now(), 60_000);
    const [delivery] = await deliveries(id);
    expect(delivery).to.deep.include({ type: "user.registered", key: user_id, tries: 1, response_status: 200 });
    expect(delivery.payload).to.deep.equal(event);
    expect(headers).to.include(signedHeaders(secret, delivery.event_id, Number(headers["webhook-timestamp"]), body));
    expect(JSON.stringify((await call("get", "")).body)).not.to.include(secret);
  });

  it("get only the kinds that they name, or all, and what their filter lets through", async () => {
    const [wanted, other, user_id] = [newId(), newId(), newId()];
    await build({ filter: { field: "ticket_id", values: [wanted] } });
    const all = await Receiver.start();
    await build({ url: all.url, kinds: ["*"] });
    await inTransaction((tx) => tx.publish("sanction.lifted", { user_id, sanction_id: newId() }));
    await opened(other, wanted);

    await got(wanted);
    // It gets what other tests of this database have left, too.
    const seen = () =>
      all.received
        .map(({ body }) => JSON.parse(body))
        .filter(({ data }) => data.user_id === user_id || [wanted, other].includes(data.ticket_id));
    await until("the other has got all", () => seen().length >= 3);
    await all.stop();
    expect(new Set(seen().map(({ type }) => type))).to.deep.equal(new Set(["sanction.lifted", "ticket.opened"]));
    expect(tickets()).to.deep.equal([wanted]);
  });

  it("get the events of a key in order, if they want it, also while one fails", async () => {
    const { id } = await build({ kinds: ["sanction.lifted"], ordered: true });
    const [late, other] = [newId(), newId()];
    const ids = Array.from({ length: 6 }, () => newId());
    let isDown = true;
    receiver.statusOf = (body) => (isDown && body.includes(late) ? 500 : 200);
    await inTransaction((tx) =>
      tx.publishAll(
        "sanction.lifted",
        ids.flatMap((sanction_id) => [late, other].map((user_id) => ({ user_id, sanction_id }))),
      ),
    );
    const of = (user: string) =>
      received().flatMap(({ data: { user_id, sanction_id } }) => (user_id === user ? [sanction_id] : []));

    await until("the other key is through", () => of(other).length === ids.length);
    expect(of(other)).to.deep.equal(ids);
    expect(new Set(of(late))).to.deep.equal(new Set(ids.slice(0, 1)));
    isDown = false;
    await query(
      "UPDATE webhook_deliveries SET next_try_at = now() WHERE event_endpoint_id = $1 AND status = 'pending'",
      [id],
    );
    await until("the late key is through", () => new Set(of(late)).size === ids.length);
    expect([...new Set(of(late))]).to.deep.equal(ids);
  });

  it("are paused when they are gone, say so, and get what they missed once they are resumed", async () => {
    const { id } = await build();
    const [first, second] = [newId(), newId()];
    receiver.status = 410;
    await opened(first);
    const endpoint = async () => (await call("get", `/${id}`)).body.data;
    await until("it is paused", async () => (await endpoint()).disabled_at !== null);
    const health = async () => (await service.admin("get", "/health", { token: admin.token })).body.data;
    expect(await health()).to.deep.include({ status: "degraded" });
    expect((await health()).events).to.include({ dead: 1 });

    await opened(second);
    receiver.status = 200;
    expect((await call("post", `/${id}/resume`)).body.data).to.include({ disabled_at: null, failing_since: null });
    await query(
      "UPDATE webhook_deliveries SET next_try_at = now() WHERE event_endpoint_id = $1 AND status = 'pending'",
      [id],
    );
    await got(first, second);
    expect((await call("post", `/${id}/resume`)).body.error.code).to.equal("CONFLICT");
    expect((await health()).events).to.include({ dead: 0 });
  });

  it("get the events since a time again, with the same IDs", async () => {
    const { id } = await build();
    const from = new Date(Date.now() - 1000).toISOString();
    const [one, two] = [newId(), newId()];
    await opened(one, two);
    await got(one, two);
    const before = receiver.received.splice(0);

    const replay = await call("post", `/${id}/replay`, { from });
    expect(replay.body.data.events).to.be.greaterThan(1);
    await got(one, two);
    const idsOf = (all: typeof before) =>
      Object.fromEntries(all.map(({ headers, body }) => [JSON.parse(body).data.ticket_id, headers["webhook-id"]]));
    expect(idsOf(receiver.received)).to.include(idsOf(before));
    const later = await call("post", `/${id}/replay`, { from: "2099-01-01T00:00:00.000Z" });
    expect(later.body.data).to.deep.equal({ begins_at: null, events: 0 });
  });

  it("have their secret rotated: for a day, both sign", async () => {
    const { id, secret } = await build();
    const rotated = (await call("post", `/${id}/rotate-secret`)).body.data;
    expect(rotated.secret).not.to.equal(secret);
    expect(Date.parse(rotated.previous_until)).to.be.greaterThan(Date.now() + 23 * 3_600_000);
    const ticket = newId();
    await opened(ticket);
    await got(ticket);
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const own = signedHeaders(
      [rotated.secret, secret],
      String(headers["webhook-id"]),
      Number(headers["webhook-timestamp"]),
      body,
    );
    expect(headers).to.include(own);
  });

  it("are tested, and sent a delivery again", async () => {
    const { id } = await build();
    expect((await call("post", `/${id}/test`)).body.data).to.deep.equal({ response_status: 200, error: null });
    expect(received()[0]).to.deep.include({ type: "test", data: {} });
    const ticket = newId();
    await opened(ticket);
    await got(ticket);
    await until("it is delivered", async () => (await deliveries(id))[0]?.status === "delivered");
    receiver.received.splice(0);

    const [delivery] = await deliveries(id);
    const resend = () => call("post", `/${id}/deliveries/${delivery.id}/resend`);
    expect((await resend()).body.data).to.include({ status: "pending", tries: 0 });
    await got(ticket);
    expect(receiver.received[0]!.headers["webhook-id"]).to.equal(delivery.event_id);
    await until("it is delivered", async () => (await deliveries(id))[0]?.status === "delivered");
    await call("post", `/${id}/pause`);
    expect((await resend()).body.error.code).to.equal("CONFLICT");
    expect((await call("post", `/${newId()}/deliveries/${delivery.id}/resend`)).body.error.code).to.equal("NOT_FOUND");
  });

  it("may be in the operator's network, but not everywhere, and are few", async () => {
    const body = { url: "http://10.1.2.3/hook", kinds: ["ticket.opened"] };
    const { id } = await build({ ...body, kinds: ["room.opened"] });
    for (const [wrong, field] of [
      [{ url: "http://169.254.169.254/latest" }, "url"],
      [{ url: "http://[::ffff:169.254.169.254]/latest" }, "url"],
      [{ url: "http://[fd00:ec2::254]/latest" }, "url"],
      [{ url: "http://[::ffff:168.63.129.16]/machine" }, "url"],
      [{ url: "http://100.100.100.200/latest" }, "url"],
      [{ url: "ftp://crm.example.com/" }, "url"],
      [{ url: "https://me:secret@crm.example.com/" }, "url"],
      [{ kinds: ["ticket.closed"] }, "kinds.0"],
      [{ kinds: [] }, "kinds"],
      [{ filter: { field: "room_id", values: ["1"] } }, "filter"],
    ] as const) {
      const { status, body: answer } = await call("post", "", { ...body, ...wrong });
      expect([status, answer.error.details[0].field]).to.deep.equal([400, field]);
    }
    expect((await call("patch", `/${id}`, { url: "http://169.254.169.254/" })).status).to.equal(400);
    expect((await call("patch", `/${id}`, { kinds: ["room.closed"] })).body.data.kinds).to.deep.equal(["room.closed"]);
    const statuses: number[] = [];
    for (let count = 0; count < 20; count += 1) statuses.push((await call("post", "", body)).status);
    expect(statuses).to.deep.equal([...Array(19).fill(201), 409]);
  });

  it("say how many events they lost to the bounds of the log", async () => {
    const { id } = await build();
    await call("post", `/${id}/pause`);
    await opened(newId(), newId(), newId());
    await until("they are logged", async () => {
      const [row] = await query<{ n: number }>(
        "SELECT count(*) AS n FROM event_log l JOIN event_endpoints e ON l.position > e.position WHERE e.id = $1",
        [id],
      );
      return row!.n === 3;
    });
    await query("UPDATE event_log SET created_at = now() - interval '8 days'");

    while ((await pruneLog(2)) > 0);
    expect((await call("get", `/${id}`)).body.data).to.include({ lost: 3 });
    expect(await readLog(0, 10)).to.deep.equal([]);
  });

  it("have the log bounded and shown while a sink is away, which never slows gifts", async () => {
    const sender = await buildUser({ coins: 1000 });
    const host = await buildUser();
    const { id: gift_id } = await buildGift({ price: 1 });
    const { id: roomId } = await buildRoom({ host });
    for (const { token } of [host, sender]) await service.call("post", `/rooms/${roomId}/join`, { token, body: {} });
    const give = async () => {
      const body = { gift_id, recipient_id: host.id, quantity: 1 };
      return (await service.call("post", `/rooms/${roomId}/gifts`, { token: sender.token, body })).status;
    };
    const logged = () => query<{ n: number }>("SELECT count(*) AS n FROM event_log WHERE kind = 'gift.sent'");
    await query("DELETE FROM event_log");
    await query("INSERT INTO event_sinks (name, position) SELECT 'away', coalesce(max(position), 0) FROM event_log");
    await loadWanted();

    // Gifts wait for nothing, not even for a log that is locked.
    await inTransaction(async (tx) => {
      await tx.query("LOCK TABLE event_log IN ACCESS EXCLUSIVE MODE");
      expect(await Promise.all(Array.from({ length: 20 }, give))).to.deep.equal(Array(20).fill(201));
    });
    await until("the gifts are logged", async () => (await logged())[0]!.n === 20);

    while ((await pruneLog(3, 5)) > 0);
    expect((await logged())[0]!.n).to.be.at.most(5);
    expect(await readLog(0, 100)).not.to.deep.equal([]);
    const [sink] = (await service.admin("get", "/event-sinks", { token: admin.token })).body.data;
    expect(sink.name).to.equal("away");
    expect(sink.lost).to.be.at.least(15);
    expect(sink.behind).to.be.at.least(20);
    const { events } = (await service.admin("get", "/health", { token: admin.token })).body.data;
    // What other tests did may still be logged meanwhile.
    const others = await query<{ n: number }>("SELECT count(*) AS n FROM event_log WHERE kind <> 'gift.sent'");
    expect(events.kept).to.be.within(1, 5 + others[0]!.n);
    expect(events.lost).to.equal(sink.lost);
    expect(events.behind).to.be.at.least(sink.behind);
    await query("DELETE FROM event_sinks");
    await loadWanted();
  });

  it("have sinks beside them, which are listed and moved back", async () => {
    await build();
    await opened(newId());
    await until("it is logged", async () => (await readLog(0, 1)).length > 0);
    await query("INSERT INTO event_sinks (name, position, active) VALUES ('file:///srv/events', 1000000, false)");
    const sinks = (method: string, path: string, body?: object) =>
      service.admin(method, `/event-sinks${path}`, { token: admin.token, ...(body && { body }) });
    const [sink] = (await sinks("get", "")).body.data;
    expect(sink).to.deep.include({ name: "file:///srv/events", active: false, behind: 0, lost: 0, error: null });

    const from = "2026-01-01T00:00:00.000Z";
    const { begins_at, events } = (await sinks("post", `/${sink.id}/replay`, { from })).body.data;
    expect([typeof begins_at, events > 0]).to.deep.equal(["string", true]);
    expect((await sinks("get", "")).body.data[0].behind).to.be.greaterThan(0);
    expect((await sinks("post", `/${newId()}/replay`, { from })).body.error.code).to.equal("NOT_FOUND");
    await query("DELETE FROM event_sinks");
  });

  it("show a reader every event, in the order of the commits", async () => {
    await build();
    const [{ start } = { start: 0 }] = await query<{ start: number }>(
      "SELECT coalesce(max(position), 0) AS start FROM event_log",
    );
    const total = 60;
    const writing = Promise.all(
      Array.from({ length: total }, (_, index) =>
        inTransaction(async (tx) => {
          await tx.query("SELECT pg_sleep($1)", [Math.random() / 50]);
          const payload = { ticket_id: newId(), user_id: null } as never;
          logEvents(tx, [{ topic: "ticket.opened", payload, created_at: new Date().toISOString() }]);
          if (index % 10 === 9) throw new Error("rolled back");
        }).catch(() => undefined),
      ),
    );
    const seen: number[] = [];
    await until("all are read", async () => {
      seen.push(...(await readLog(seen.at(-1) ?? start, 7)).map(({ position }) => position));
      return seen.length === total - 6;
    });
    await writing;
    expect(await readLog(seen.at(-1)!, 7)).to.deep.equal([]);
    expect((await readLog(start, total)).map(({ position }) => position)).to.deep.equal(seen);
  });
});

describe("kinds of events", () => {
  const service = useService();

  it("are listed with a schema and an example", async () => {
    const { token } = await buildAdmin(["event_endpoints.read"]);
    const { body } = await service.admin("get", "/event-kinds", { token });
    expect(body.data.map(({ kind }: { kind: string }) => kind)).to.deep.equal(eventTopics);
    const gift = body.data.find(({ kind }: { kind: string }) => kind === "gift.sent");
    expect(gift).to.include({ version: 1, key: "recipient_id" });
    expect(gift.example).to.have.property("type", "gift.sent");
    expect(Object.keys(gift.schema.properties.data.properties)).to.include.members(["sender_id", "total_coins"]);
    expect(JSON.stringify(body.data)).not.to.include("$ref");
  });

  it("have the field that they are ordered by, and nothing that people wrote", () => {
    for (const topic of eventTopics) {
      const { key, fields } = kindOf(topic);
      expect(Object.keys(fields), topic).to.include(key);
      for (const [name, schema] of Object.entries(fields)) {
        const {
          type,
          flags,
          rules = [],
          items = [],
        } = schema.describe() as {
          type: string;
          flags?: { only?: boolean };
          rules?: { name: string }[];
          items?: object[];
        };
        const isOurs = rules.some(({ name: rule }) => ["guid", "isoDate"].includes(rule));
        const isSafe = type !== "string" || flags?.only || isOurs || ["currency", "provider_refund_id"].includes(name);
        expect([topic, name, Boolean(isSafe || items.length > 0)]).to.deep.equal([topic, name, true]);
      }
    }
    const message = { id: newId(), conversation_id: newId(), sender_id: newId(), body: "a secret" };
    expect(JSON.stringify(publicData("dm.new", { message, recipient_id: newId() }))).not.to.include("a secret");
  });
});
