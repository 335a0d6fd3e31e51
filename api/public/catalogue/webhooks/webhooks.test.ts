import { expect } from "chai";
import { query, queryColumn, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureWebhooks, postWebhook } from "#shared/domain/base/webhooks/post-webhook.ts";
import { pauses } from "#shared/domain/base/webhooks/sender.ts";
import { orderCard } from "#shared/domain/catalogue/orders/order-card.ts";
import { pruneDeliveries, queueWebhook } from "#shared/domain/catalogue/webhooks/deliveries.ts";
import { sendDueWebhooks, sendWebhook } from "#shared/domain/catalogue/webhooks/send-webhook.ts";
import { isInternetAddress } from "#shared/kernel/internet-address.ts";
import { signedHeaders } from "#shared/kernel/standard-webhooks.ts";
import { buildCard, buildReseller } from "#shared/testing/catalogue.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { allowLoopback, buildWebhook, orderSent, Receiver } from "#shared/testing/webhooks.ts";

describe("webhooks of resellers", () => {
  const service = useService();
  let receiver: Receiver;
  let owner: BuiltUser;
  beforeEach("starts the server of a reseller", async () => {
    [receiver, owner] = [await Receiver.start(), await buildUser()];
  });
  afterEach(async () => {
    allowLoopback();
    await receiver.stop();
  });

  const call = (method: string, path: string, body?: object, token = owner.token) =>
    service.call(method, `/users/me/webhooks${path}`, { token, ...(body && { body }) });
  const deliveriesOf = async (id: string) => (await call("get", `/${id}/deliveries`)).body.data.items;
  /** Queues a delivery that only this test sends: the job leaves it to the run of the minute. */
  async function queued(url = receiver.url) {
    const { id, secret } = await buildWebhook(owner, url);
    await query("UPDATE webhook_endpoints SET failing_since = now() WHERE id = $1", [id]);
    await inTransaction((tx) => queueWebhook(tx, owner.id, "order.updated", orderSent(7)));
    const [deliveryId] = await queryColumn("SELECT id FROM webhook_deliveries WHERE endpoint_id = $1", [id]);
    return { id, secret, deliveryId: deliveryId! };
  }
  const due = (deliveryId: string) =>
    query("UPDATE webhook_deliveries SET next_try_at = now() WHERE id = $1 AND status = 'pending'", [deliveryId]);
  const sent = async (deliveryId: string) => {
    await due(deliveryId);
    const before = await queryOne<{ time: string }>("SELECT now()::text AS time");
    await sendWebhook(deliveryId);
    // The pause began at some time since then.
    return queryOne<{ status: string; [name: string]: unknown }>(
      `SELECT d.status, d.response_status, d.error, e.failing_since IS NOT NULL AS failing,
         e.disabled_at IS NOT NULL AS disabled, (
           SELECT min(pause) FROM unnest($3::integer[]) AS pause
           WHERE d.next_try_at - make_interval(secs => pause) BETWEEN $2 AND now()
         ) AS pause
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE d.id = $1`,
      [deliveryId, before!.time, pauses],
    );
  };

  it("are signed as the specification's example", () => {
    const headers = signedHeaders(
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      "msg_p5jXN8AQM9LWM0D4loKWxJek",
      1_614_265_330,
      '{"test": 2432232314}',
    );

    expect(headers["webhook-signature"]).to.equal("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("tell a server of an order, signed, and show how it answered", async () => {
    const reseller = await buildReseller();
    owner = reseller.owner;
    const { body } = await call("post", "", { url: receiver.url });
    const card = await buildCard();

    const order = await orderCard(reseller.caller, card.form);
    await until("the server has heard of it", () => receiver.received.length > 0);
    const { id, secret } = body.data;
    await until("the answer is recorded", async () => (await deliveriesOf(id))[0].status === "delivered");

    const [{ headers, body: text }] = receiver.received as [(typeof receiver.received)[0]];
    const [delivery] = await deliveriesOf(id);
    const own = signedHeaders(secret, delivery.id, Number(headers["webhook-timestamp"]), text);
    expect(headers).to.include(own);
    expect(JSON.parse(text)).to.deep.include({ type: "order.updated" });
    expect(JSON.parse(text).data).to.include({ id: order, kind: "card", status: "completed" });
    expect(delivery).to.deep.include({ tries: 1, response_status: 200, error: null, payload: JSON.parse(text) });
    expect(text).not.to.include(card.codes[0]);
    expect(JSON.stringify((await call("get", "")).body)).not.to.include(secret);
  });

  it("go only to https addresses of the internet, at most 5 of an account", async () => {
    configureWebhooks({ allowLoopback: false });
    for (const url of [
      "http://shop.example.com/",
      "ftp://shop.example.com/",
      "https://user:password@shop.example.com/",
      "https://shop.example.com/#x",
      "https://127.0.0.1/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://169.254.169.254/latest/meta-data",
      "shop",
      `https://shop.example.com/${"x".repeat(500)}`,
    ]) {
      const { status, body } = await call("post", "", { url });
      expect([url, status, body.error.code]).to.deep.equal([url, 400, "VALIDATION_ERROR"]);
    }
    const url = "https://shop.example.com/";
    const statuses = await Promise.all(Array.from({ length: 7 }, async () => (await call("post", "", { url })).status));
    expect(statuses.toSorted()).to.deep.equal([201, 201, 201, 201, 201, 409, 409]);
  });

  const inside =
    `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1
    192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1
    ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:a00:1::1 3fff::1 5f00::1
    fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 localhost 1.2.3`.split(/\s+/);
  const outside =
    "1.1.1.1 8.8.8.8 100.63.255.255 172.32.0.1 192.169.0.1 223.255.255.254 2606:4700::1111 2a00:1450::1".split(" ");

  it("know the addresses of the internet", () => {
    for (const address of inside) expect([address, isInternetAddress(address)]).to.deep.equal([address, false]);
    for (const address of outside) expect([address, isInternetAddress(address)]).to.deep.equal([address, true]);
  });

  it("never reach a name with an address of another network, and resolve it once", async () => {
    const { port } = new URL(receiver.url);
    const familyOf = (address: string) => (address.includes(":") ? 6 : 4);
    const post = async (...addresses: string[]) => {
      let asked = 0;
      configureWebhooks({
        allowLoopback: addresses.length === 0,
        resolve: (_name, done) => {
          asked += 1;
          const found = addresses.length === 0 && asked === 1 ? ["127.0.0.1"] : [...addresses, "10.0.0.1"];
          done(
            null,
            (addresses.length === 0 ? found : addresses).map((address) => ({ address, family: familyOf(address) })),
          );
        },
      });
      const scheme = addresses.length === 0 ? "http" : "https";
      const outcome = await postWebhook(`${scheme}://shop.example.com:${port}/`, {}, "{}").catch(
        ({ message }) => message,
      );
      return { outcome, asked };
    };
    for (const addresses of [
      ...inside.filter((one) => /^[\d.]{7,}$|:/.test(one)).map((one) => [one]),
      ["8.8.8.8", "127.0.0.1"],
    ])
      expect(await post(...addresses), `${addresses}`).to.deep.equal({
        outcome: "The host name has an address that isn't of the internet.",
        asked: 1,
      });
    expect(receiver.received).to.deep.equal([]);
    expect(await post()).to.deep.equal({ outcome: 200, asked: 1 });
    configureWebhooks({ allowLoopback: false, resolve: (_name, done) => done(new Error("ENOTFOUND"), []) });
    expect(await postWebhook("https://shop.example.com/", {}, "{}").catch(String)).to.match(/can't be resolved/);
  });

  for (const [answer, recorded] of [
    [204, { status: "delivered", response_status: 204, error: null, failing: false }],
    [500, { status: "pending", response_status: 500, error: "The answer was 500.", pause: 5, failing: true }],
    [302, { status: "pending", response_status: 302, error: "The answer was 302.", pause: 5 }],
    [0, { status: "pending", response_status: null, error: "The connection failed: no answer in time.", pause: 5 }],
    [410, { status: "failed", disabled: true, error: "The webhook is disabled." }],
  ] as const)
    it(`record the answer ${answer || "that never comes"}`, async () => {
      const { deliveryId } = await queued();
      receiver.status = answer;
      if (answer === 0) configureWebhooks({ allowLoopback: true, answerWithinMs: 100 });

      expect(await sent(deliveryId)).to.include(recorded);
      expect(receiver.received).to.have.length(1);
    });

  it("are repeated for more than a day, with the same ID and body, and then fail", async () => {
    const { id, deliveryId } = await queued();
    receiver.status = 500;

    const seen: unknown[] = [];
    for (let again = await sent(deliveryId); ; again = await sent(deliveryId)) {
      seen.push(again!.pause);
      if (again!.status === "failed") break;
    }

    expect(seen).to.deep.equal([...pauses, null]);
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).to.be.within(24 * 3600, 30 * 3600);
    expect(new Set(receiver.received.map(({ headers, body }) => `${headers["webhook-id"]} ${body}`)).size).to.equal(1);
    receiver.status = 200;
    const resent = await call("post", `/${id}/deliveries/${deliveryId}/resend`);
    expect(resent.body.data).to.include({ id: deliveryId, status: "pending", tries: 0 });
    await until("it is delivered", async () => (await deliveriesOf(id))[0].status === "delivered");
    expect(receiver.received.at(-1)!.headers["webhook-id"]).to.equal(deliveryId);
  });

  it("are disabled after failing for days, until their owner enables them", async () => {
    const { id, deliveryId } = await queued();
    await query("UPDATE webhook_endpoints SET failing_since = now() - interval '6 days' WHERE id = $1", [id]);
    receiver.status = 500;

    expect(await sent(deliveryId)).to.include({ status: "failed", disabled: true });
    await inTransaction((tx) => queueWebhook(tx, owner.id, "order.updated", orderSent(8)));
    expect(await deliveriesOf(id)).to.have.length(1);
    const resend = () => call("post", `/${id}/deliveries/${deliveryId}/resend`);
    expect((await resend()).body.error.code).to.equal("CONFLICT");
    expect((await call("post", `/${id}/enable`)).body.data).to.include({ status: "enabled", failing_since: null });
    expect((await resend()).status).to.equal(200);
  });

  it("are sent once, however many processes try, and a few to each server at a time", async () => {
    const { deliveryId, id } = await queued();
    for (let count = 0; count < 7; count += 1)
      await inTransaction((tx) => queueWebhook(tx, owner.id, "order.updated", orderSent(count + 1)));

    await Promise.all([sendDueWebhooks(), sendDueWebhooks(), sendWebhook(deliveryId)]);

    const first = receiver.received.length;
    expect(first).to.be.within(5, 8);
    await sendDueWebhooks();
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect([ids.length, new Set(ids).size]).to.deep.equal([8, 8]);
    expect(new Set((await deliveriesOf(id)).map(({ status }: { status: string }) => status))).to.deep.equal(
      new Set(["delivered"]),
    );
  });

  it("are taken up by another process when the first died", async () => {
    const { deliveryId } = await queued();
    await query("UPDATE webhook_deliveries SET tries = 1, next_try_at = now() + interval '1 minute' WHERE id = $1", [
      deliveryId,
    ]);

    await sendWebhook(deliveryId);
    expect(receiver.received).to.have.length(0);
    expect(await sent(deliveryId)).to.include({ status: "delivered" });
  });

  it("end with their deletion, and their deliveries are deleted after 30 days", async () => {
    const [{ deliveryId, id }, other] = [await queued(), await queued()];
    await sent(other.deliveryId);
    await query("UPDATE webhook_deliveries SET created_at = now() - interval '31 days' WHERE endpoint_id = $1", [
      other.id,
    ]);
    await call("delete", `/${id}`);

    await sendWebhook(deliveryId);
    while ((await pruneDeliveries()) > 0);

    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).not.to.include(deliveryId);
    expect(
      await queryColumn("SELECT id FROM webhook_deliveries WHERE id = ANY ($1)", [[deliveryId, other.deliveryId]]),
    ).to.deep.equal([]);
  });
});
