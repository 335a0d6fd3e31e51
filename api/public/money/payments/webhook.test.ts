import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import express from "express";
import { query, queryOne } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { sandboxHeaders, sandboxSecrets, useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { act, payOtherwise, webhookOf } from "#shared/testing/pay.ts";
import { adminCaller, callerOf } from "#shared/testing/people.ts";
import { buildPackage, walletBalance } from "#shared/testing/sales.ts";
import { type Answer, noEngine, useService } from "#shared/testing/service.ts";
import { mount } from "../../../http/mount.ts";
import { makeRateLimits } from "../../../http/rate-limit.ts";
import { socialApi } from "../../../social-api.ts";
import { webhookRoute } from "./webhook.ts";

interface Webhook {
  readonly body: string | Buffer<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

describe("POST /payments/webhook/:provider", () => {
  const service = useService();

  async function post({ body, headers }: Webhook, provider = "sandbox"): Promise<Pick<Answer, "status" | "body">> {
    const url = `${service.url}/api/v1/payments/webhook/${provider}`;
    const response = await fetch(url, { method: "POST", body, headers });
    return { status: response.status, body: await response.json() };
  }

  async function ordered() {
    const [user, pack] = await Promise.all([buildUser(), buildPackage({ coins: 100 })]);
    const { order } = await orderCoins(callerOf(user), pack.id);
    return { user, id: order.id, at: order.provider_order_id! };
  }

  const statusOf = async (id: string) =>
    (await queryOne("SELECT status FROM payment_orders WHERE id = $1", [id]))?.status;
  const eventOf = (headers: Record<string, string>) =>
    queryOne("SELECT type, outcome, summary FROM payment_events WHERE event_id = $1", [headers["x-sandbox-event-id"]]);

  it("settles an order, once however often it comes, and writes the event down", async () => {
    const { user, id, at } = await ordered();
    const webhook = await act(at, "pay");
    expect(await post(webhook)).to.deep.equal({ status: 200, body: { success: true, data: { received: true } } });
    expect([await statusOf(id), await walletBalance(user.id)]).to.deep.equal(["paid", 100]);
    const again = await Promise.all(Array.from({ length: 10 }, () => post(webhook)));
    expect(again.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    expect(await walletBalance(user.id)).to.equal(100);
    expect(await eventOf(webhook.headers)).to.deep.include({ type: "payment.captured", outcome: "paid" });
  });

  it("signs the bytes as they came: the same JSON written otherwise is refused", async () => {
    const { id, at } = await ordered();
    const { body, headers } = await act(at, "pay");
    for (const changed of [` ${body}`, JSON.stringify(JSON.parse(body), null, 1), body.replace("9900", "9901"), ""]) {
      const answer = await post({ body: changed, headers });
      expect([answer.status, answer.body.error.code]).to.deep.equal([400, "PAYMENT_SIGNATURE_INVALID"]);
    }
    const spelled = Buffer.from(body.replace("payment.captured", "payment.c\\u0061ptured"));
    expect((await post({ body: spelled, headers: sandboxHeaders(spelled.toString(), newId()) })).status).to.equal(200);
    expect(await statusOf(id)).to.equal("paid");
  });

  it("is rejected without a signature, with a wrong one, and with that of a removed secret", async () => {
    const { id, at } = await ordered();
    const { body, headers } = await act(at, "pay");
    const { "x-sandbox-signature": right, ...unsigned } = headers;
    const wrong = [
      unsigned,
      { ...headers, "x-sandbox-signature": "" },
      { ...headers, "x-sandbox-signature": right.toUpperCase() },
      { ...unsigned, "x-razorpay-signature": right },
      sandboxHeaders(body, newId(), "another secret"),
    ];
    for (const given of wrong)
      expect((await post({ body, headers: given })).body.error.code).to.equal("PAYMENT_SIGNATURE_INVALID");
    expect(await statusOf(id)).to.equal("created");
  });

  it("takes both secrets while one is replaced, and then only the new one", async () => {
    const [first, second] = [await ordered(), await ordered()];
    const old = await act(first.at, "pay");
    const [oldSecret] = sandboxSecrets.webhookSecrets;
    try {
      const secrets = { keySecrets: ["new key", ...sandboxSecrets.keySecrets], webhookSecrets: ["new", oldSecret!] };
      configurePayments({ provider: "sandbox", sandbox: secrets });
      expect((await post(old)).status).to.equal(200);
      await act(second.at, "pay");
      const renewed = await webhookOf(second.at);
      expect(renewed.headers["x-sandbox-signature"]).to.equal(
        sandboxHeaders(renewed.body, "", "new")["x-sandbox-signature"],
      );
      expect((await post(renewed)).status).to.equal(200);
      configurePayments({ provider: "sandbox", sandbox: { ...secrets, webhookSecrets: ["new"] } });
      expect((await post(old)).body.error.code).to.equal("PAYMENT_SIGNATURE_INVALID");
    } finally {
      useSandbox();
    }
    expect([await statusOf(first.id), await statusOf(second.id)]).to.deep.equal(["paid", "paid"]);
  });

  it("writes down what it does not know or what does not fit, answers 200 and gives nothing", async () => {
    const { user, id, at } = await ordered();
    const captured = JSON.parse((await act(at, "pay")).body);
    const entity = captured.payload.payment.entity;
    const about = (change: object) => ({ ...captured, payload: { payment: { entity: { ...entity, ...change } } } });
    const told: [string, object, string][] = [
      ["payment.downtime.started", { ...captured, event: "payment.downtime.started" }, "ignored"],
      ["payment.dispute.lost", { ...captured, event: "payment.dispute.lost" }, "malformed"],
      ["unnamed", { something: "else" }, "ignored"],
      ["payment.captured", { event: "payment.captured" }, "malformed"],
      ["payment.captured", about({ amount: entity.amount - 1 }), "mismatch"],
      ["payment.captured", about({ currency: "USD" }), "mismatch"],
      ["payment.captured", about({ order_id: "order_sbxnobodys" }), "unknown_order"],
    ];
    for (const [type, content, outcome] of told) {
      const body = JSON.stringify(content);
      const headers = sandboxHeaders(body, newId());
      expect((await post({ body, headers })).status).to.equal(200);
      expect(await eventOf(headers)).to.include({ type, outcome });
    }
    expect([await statusOf(id), await walletBalance(user.id)]).to.deep.equal(["created", 0]);
  });

  it("checks amount and currency of the sandbox's own payments too", async () => {
    for (const change of [{ amount: 1 }, { currency: "USD" }]) {
      const { user, id, at } = await ordered();
      expect((await post(await payOtherwise(at, change))).status).to.equal(200);
      expect([await statusOf(id), await walletBalance(user.id)]).to.deep.equal(["created", 0]);
    }
  });

  it("applies a signed event, whatever came under its ID before", async () => {
    const before: Record<string, (right: Webhook) => Webhook> = {
      "other bytes": ({ headers }) => {
        const body = JSON.stringify({ event: "invoice.paid", n: newId() });
        return { body, headers: { ...headers, ...sandboxHeaders(body, headers["x-sandbox-event-id"]!) } };
      },
      "the same bytes unsigned": ({ body, headers: { "x-sandbox-signature": _signature, ...headers } }) => ({
        body,
        headers,
      }),
      "the same bytes wrongly signed": ({ body, headers }) => ({
        body,
        headers: { ...headers, "x-sandbox-signature": "0".repeat(64) },
      }),
    };
    for (const [name, change] of Object.entries(before)) {
      const { user, at } = await ordered();
      const paid = await act(at, "pay");
      await post(change(paid));
      await post(paid);
      expect(await walletBalance(user.id), `a payment after ${name}`).to.equal(100);

      const refunded = await act(at, "refund");
      await post(change(refunded));
      await post(refunded);
      expect(await walletBalance(user.id), `a refund after ${name}`).to.equal(0);
    }
  });

  it("applies the same bytes once, under whatever ID they come", async () => {
    const { user, at } = await ordered();
    const { body, headers } = await act(at, "pay");
    for (const id of [headers["x-sandbox-event-id"]!, newId()])
      await post({ body, headers: { ...headers, "x-sandbox-event-id": id } });
    const rows = await query("SELECT 1 FROM payment_events WHERE summary::text LIKE '%' || $1 || '%'", [at]);
    expect([await walletBalance(user.id), rows.length]).to.deep.equal([100, 1]);
  });

  it("knows an event without a name by its bytes", async () => {
    const body = JSON.stringify({ event: "invoice.paid", n: newId() });
    const { "x-sandbox-event-id": _id, ...headers } = sandboxHeaders(body, "");
    for (const name of [{}, { "x-sandbox-event-id": "x".repeat(101) }, { "x-sandbox-event-id": "a b'\"" }])
      expect((await post({ body, headers: { ...headers, ...name } })).status).to.equal(200);
    const rows = await query(
      "SELECT 1 FROM payment_events WHERE type = 'invoice.paid' AND event_id ~ '^[0-9a-f]{64}$'",
    );
    expect(rows).to.have.length(1);
  });

  it("refuses what is no JSON, is too large or packed, though it is signed", async () => {
    const signed = (body: string) => post({ body, headers: sandboxHeaders(body, newId()) });
    for (const body of ["{", "null", "[1]", "a=1"])
      expect((await signed(body)).body.error.code).to.equal("MALFORMED_JSON");
    const large = JSON.stringify({ event: "x", pad: "x".repeat(64 * 1024) });
    expect((await signed(large)).status).to.equal(413);
    const packed = gzipSync("{}");
    const headers = { ...sandboxHeaders("{}", newId()), "content-encoding": "gzip" };
    expect((await post({ body: Buffer.from(packed), headers })).status).to.equal(415);
  });

  it("is not there for a provider that is not configured, by any method but POST", async () => {
    const { at } = await ordered();
    const webhook = await act(at, "pay");
    for (const provider of ["razorpay", "stripe"]) expect((await post(webhook, provider)).status).to.equal(404);
    expect((await post(webhook, "Sandbox!")).body.error.code).to.equal("VALIDATION_ERROR");
    expect((await fetch(`${service.url}/api/v1/payments/webhook/sandbox`)).status).to.equal(405);
  });

  it("takes any content type, and calls while the service is in maintenance", async () => {
    const { id, at } = await ordered();
    const { body, headers } = await act(at, "pay");
    await changeSettings(adminCaller(), { maintenance_mode: true });
    try {
      expect((await post({ body, headers: { ...headers, "content-type": "text/plain" } })).status).to.equal(200);
    } finally {
      await changeSettings(adminCaller(), { maintenance_mode: false });
    }
    expect(await statusOf(id)).to.equal("paid");
  });

  it("limits wrong signatures by address, and nothing else", async () => {
    const app = express();
    app.set("trust proxy", true);
    app.use(mount({ ...socialApi({ actors: noEngine }), routes: [webhookRoute] }, makeRateLimits({ enabled: true })));
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const send = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/payments/webhook/sandbox`, { method: "POST", body: "{}", headers }))
        .status;
    const wrong = { "x-forwarded-for": "192.0.2.1" };
    const right = { ...sandboxHeaders("{}", newId()), ...wrong };
    try {
      const { points } = webhookRoute.rateLimit!;
      const statuses = await Promise.all(Array.from({ length: points + 5 }, () => send(wrong)));
      expect(statuses.sort()).to.deep.equal([...Array(points).fill(400), ...Array(5).fill(429)]);
      expect(await send(right)).to.equal(200);
      expect(await send({ "x-forwarded-for": "192.0.2.2" })).to.equal(400);
    } finally {
      server.close();
    }
  });

  it("is in the OpenAPI document with its head, its body and its errors", async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<
        string,
        Record<string, { parameters: { name: string; in: string }[]; responses: object; security: [] }>
      >;
    };
    const { parameters, responses, security } = paths["/payments/webhook/{provider}"]!.post!;
    expect(parameters.map(({ name }) => name)).to.include.members(["provider", "X-Sandbox-Signature"]);
    expect(responses).to.include.keys("200", "400", "404", "413");
    expect(security).to.deep.equal([]);
  });
});
