import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { addReview } from "#shared/domain/catalogue/reviews/add-review.ts";
import { secondsMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildCard, buildReseller, buildTopUp, orderInformation, orderOf } from "#shared/testing/catalogue.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { catalogueApi } from "../catalogue-api.ts";
import { exampleOf } from "../docs/example-of.ts";
import { makeOrderBody } from "./catalogue.schemas.ts";

type Form = Record<string, string | number>;

/** A value as text of a form. Nonsense can hold objects that `String` can't convert. */
const textOf = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** The ways to send a form. */
const encodings: Record<string, (form: Form) => object> = {
  multipart: (form) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(form)) data.append(name, textOf(value));
    return { body: data };
  },
  urlencoded: (form) => ({
    body: new URLSearchParams(Object.fromEntries(Object.entries(form).map(([name, value]) => [name, textOf(value)]))),
  }),
  json: (form) => ({ body: form, headers: { "content-type": "application/json" } }),
};

describe("orders and reviews of the catalogue", () => {
  const service = useService();
  const api = catalogueApi();
  const call = (...args: Parameters<ReturnType<typeof clientOf>>) => clientOf(service.url, api)(...args);
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  beforeEach("builds a reseller", async () => {
    reseller = await buildReseller();
  });
  const post = (path: string, form: object, options: { headers?: Record<string, string>; token?: string } = {}) => {
    const headers = { "content-type": "application/json", ...options.headers };
    return call("post", path, { token: options.token ?? reseller.token, body: form, headers });
  };
  const order = (form: object, headers: Record<string, string> = {}) => post("/top-up/make-order", form, { headers });
  const orders = async () => (await call("get", "/orders", { token: reseller.token })).body.message.items;

  for (const [name, encode] of Object.entries(encodings))
    it(`takes orders and reviews as ${name}`, async () => {
      const topUp = await buildTopUp();
      const sent = { token: reseller.token, ...encode(orderOf(topUp)) };
      const placed = await call("post", "/top-up/make-order", sent);
      const review = encode({ topUpId: topUp.id, rating: 4, comment: "Good" });
      const reviewed = await call("post", "/topup/review", { token: reseller.token, ...review });

      expect(placed.body.message).to.match(/^Order \d+ has been placed\.$/);
      expect([placed.status, reviewed.status]).to.deep.equal([200, 200]);
    });

  it("takes the example of the documents", async () => {
    const topUp = await buildTopUp({ topUp: { order_information: [orderInformation[0]] } });
    const example = exampleOf(makeOrderBody) as object;

    const placed = await order({ ...example, topUpId: topUp.id, serviceId: topUp.serviceId });

    expect(placed.status).to.equal(200);
    expect((await orders())[0].order_information[0].value).to.equal("1234 5678");
  });

  it("rejects an order of what an administrator is just deleting", async () => {
    const [topUp, card] = [await buildTopUp(), await buildCard({ codes: 0 })];
    for (const [path, table, form] of [
      ["/top-up/make-order", "catalogue_services", orderOf(topUp)],
      ["/card/make-order", "catalogue_card_services", card.form],
    ] as const) {
      const pending = await inTransaction(async (tx) => {
        await tx.query(`DELETE FROM ${table} WHERE id = $1`, [form.serviceId]);
        const [own] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        const answer = post(path, form);
        const waiting = "SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))";
        await until("the order waits", async () => (await tx.query(waiting, [own!.pid])).length > 0);
        return { answer };
      });

      const { status, body } = await pending.answer;

      expect([status, body.errors]).to.deep.equal([422, ["The service id field is required."]]);
    }
  });

  it("keeps an order as it was placed, whatever changes later", async () => {
    const topUp = await buildTopUp();
    await order(orderOf(topUp));
    await query("UPDATE catalogue_services SET price = 1, discount = 0, name = 'Other' WHERE id = $1", [
      topUp.serviceId,
    ]);

    expect((await orders())[0]).to.deep.include({
      ...{ top_up_id: topUp.id, service_id: topUp.serviceId, campaign_id: null, service_name: "100 gems" },
      ...{ status: "placed", payment: "postpaid", currency: "USD", price: 9.99, discount: 10, reason: null },
      ...{ discount_type: "percentage", discountedAmount: 1, total: 8.99 },
      order_information: [
        { field_name: "Player_Id", field_value: "Player ID", value: "1234" },
        { field_name: "Server", field_value: "Game Server", value: "eu" },
      ],
    });
  });

  it("names each missing or invalid field, in the order of the form", async () => {
    const topUp = await buildTopUp();
    const other = await buildTopUp();
    const [id, serviceId, player, server] = ["top up id", "service id", "Player ID", "Game Server"].map(
      (label) => `The ${label} field is required.`,
    );
    for (const [form, errors] of [
      [{}, [id, serviceId]],
      [{ topUpId: topUp.id }, [serviceId, player, server]],
      [
        { ...orderOf(topUp), topUpId: 0, serviceId: "x" },
        [id, serviceId, "The Player_Id field is not accepted.", "The Server field is not accepted."],
      ],
      [{ ...orderOf(topUp), serviceId: other.serviceId }, [serviceId]],
      [{ ...orderOf(topUp), Player_Id: " " }, [player]],
      [{ ...orderOf(topUp), Server: "mars" }, [server]],
      [{ ...orderOf(topUp), Server: "constructor" }, [server]],
      [{ ...orderOf(topUp), Player_Id: ["1"] }, [player]],
      [{ ...orderOf(topUp), extra: 1 }, ["The extra field is not accepted."]],
    ] as const) {
      const { status, body } = await order(form);
      expect([status, body]).to.deep.equal([422, { status: "failed", errors }]);
    }
    const review = await post("/topup/review", { rating: 6 });
    expect([review.status, review.body.errors]).to.deep.equal([
      422,
      ["The top up id field is required.", "The rating field is required.", "The comment field is required."],
    ]);
    const half = await post("/topup/review", { topUpId: topUp.id, rating: 4.5, comment: "Good" });
    expect([half.status, half.body.errors]).to.deep.equal([422, ["The rating field must be a whole number."]]);
    expect(await orders()).to.deep.equal([]);
  });

  it("refuses files, fields sent twice, and names with a meaning", async () => {
    const topUp = await buildTopUp();
    const form = () => {
      const data = new FormData();
      for (const [name, value] of Object.entries(orderOf(topUp))) data.append(name, textOf(value));
      return data;
    };
    const [withFile, twice, large] = [form(), form(), form()];
    withFile.append("file", new Blob(["x"]), "x.txt");
    twice.append("Player_Id", "2");
    large.append("more", "x".repeat(5000));
    const status = async (body: FormData | string, type?: string) =>
      (
        await call("post", "/top-up/make-order", {
          token: reseller.token,
          body,
          headers: type ? { "content-type": type } : {},
        })
      ).status;

    expect([await status(withFile), await status(twice), await status(large)]).to.deep.equal([422, 422, 413]);
    for (const name of ["__proto__", "constructor", "__proto__[x]"]) {
      const polluted = form();
      polluted.append(name, "1");
      expect([name, await status(polluted)]).to.deep.equal([name, 422]);
      const text = `${new URLSearchParams({ [name]: "1" })}`;
      expect(await status(text, "application/x-www-form-urlencoded")).to.equal(422);
    }
    expect(await status('{"__proto__":{"topUpId":1}}', "application/json")).to.equal(422);
    for (const [body, type] of [
      ["{", "application/json"],
      ["x", "multipart/form-data"],
      ["x", "multipart/form-data; boundary=b"],
    ] as const)
      expect([type, await status(body, type)]).to.deep.equal([type, 422]);
    expect(await orders()).to.deep.equal([]);
  });

  it("places an order once by its key, in the header or in the form", async () => {
    const topUp = await buildTopUp();
    const form = orderOf(topUp);
    const byHeader = () => order(form, { "idempotency-key": "one" });
    const byField = () => order({ ...form, topUpId: String(form.topUpId), idempotency_key: "one" });
    const answers = await Promise.all([byHeader(), byField(), byHeader(), byField()]);
    const other = await order({ ...form, Player_Id: "2", idempotency_key: "one" });

    expect(new Set(answers.map(({ body }) => body.message)).size).to.equal(1);
    expect([other.status, other.body.status]).to.deep.equal([422, "failed"]);
    expect(await orders()).to.have.length(1);
    await query("UPDATE catalogue_services SET status = 0 WHERE id = $1", [topUp.serviceId]);
    expect((await byHeader()).body.message).to.equal(answers[0]!.body.message);
  });

  it("is refused when the price isn't the expected one", async () => {
    const topUp = await buildTopUp({ campaign: { max_sell: 1 } });
    const card = await buildCard();
    const orderAt = (expected_price: unknown) => order({ ...orderOf(topUp), expected_price });

    expect((await orderAt("4")).status).to.equal(200);
    expect((await orderAt(4)).body).to.deep.equal({ status: "failed", errors: "The price has changed." });
    expect((await orderAt("cheap")).body.errors).to.deep.equal(["The expected price field is required."]);
    expect((await orderAt(8.99)).status).to.equal(200);
    expect((await post("/card/make-order", { ...card.form, expected_price: "9.99" })).status).to.equal(422);
    expect((await post("/card/make-order", { ...card.form, expected_price: "10.00" })).status).to.equal(200);
  });

  it("sells exactly 50 of a campaign to 500 buyers at once", async function () {
    this.timeout(60_000);
    const topUp = await buildTopUp({ campaign: { max_sell: 50 } });
    /** On a slow machine, some of so many wait too long for a connection, and try again as they are told to. */
    const buy = async () => {
      const key = { "Idempotency-Key": newId() };
      for (;;) {
        const answer = await order(orderOf(topUp), key);
        if (answer.status !== 503) return answer;
        const wait = answer.headers.get("retry-after");
        expect(wait).to.be.a("string");
        await pause(secondsMs(Number(wait)));
      }
    };

    const answers = await Promise.all(Array.from({ length: 500 }, buy));

    const placed = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter(({ status }) => status === 422);
    expect(placed + refused.length).to.equal(500);
    for (const { body } of refused) expect(body.errors).to.match(/sold out/);
    const sold = await queryOne(
      `SELECT c.offered_sell, count(o.id) FILTER (WHERE o.total = 4) AS cheap, count(o.id) AS rest
       FROM catalogue_campaigns c LEFT JOIN catalogue_orders o ON o.campaign_id = c.id
       WHERE c.service_id = $1 GROUP BY c.id`,
      [topUp.serviceId],
    );
    expect(sold).to.deep.equal({ offered_sell: 50, cheap: 50, rest: 50 });
    const regular = await queryOne(
      "SELECT count(*), bool_and(total = 8.99) AS right FROM catalogue_orders WHERE service_id = $1 AND campaign_id IS NULL",
      [topUp.serviceId],
    );
    expect(regular).to.include({ count: placed - 50 });
  });

  it("publishes reviews of those who ordered, holds others, and counts right at once", async () => {
    const topUp = await buildTopUp();
    const resellers = await Promise.all(Array.from({ length: 8 }, () => buildReseller()));
    const buyers = resellers.slice(0, 6);
    await Promise.all(buyers.map(({ token }) => post("/top-up/make-order", orderOf(topUp), { token })));
    const reviewOf = (rating: number) => ({ topUpId: topUp.id, rating, comment: "Fine" });

    const outcomes = await Promise.all(
      resellers.flatMap(({ caller }, index) =>
        [1, 2].map(() =>
          addReview(caller, reviewOf((index % 5) + 1)).then(
            () => "ok",
            ({ code }) => code,
          ),
        ),
      ),
    );

    expect(outcomes.filter((outcome) => outcome === "ok")).to.have.length(8);
    expect(outcomes.filter((outcome) => outcome === "CONFLICT")).to.have.length(8);
    const details = (await call("get", `/top-up/details?slug=${topUp.slug}`, { token: buyers[0]!.token })).body.message
      .topUp;
    expect(details).to.include({ total_review: 6, avg_rating: 2.67 });
    expect(details.reviewStatic.hasAlreadyOrdered).to.equal(true);
    const listed = (await call("get", `/topup/review?top_up_id=${topUp.id}`, { token: reseller.token })).body.message;
    expect(listed.pagination).to.deep.equal({
      ...{ total: 6, per_page: 15, current_page: 1, last_page: 1, next_page_url: null, prev_page_url: null },
    });
    for (const { user } of details.reviewStatic.reviews) expect(user.email).to.match(/^.\*{3}@/);
    expect(JSON.stringify(listed)).not.to.include("@");
  });

  /**
   * The fields of a form as they are sent, so that one can be there twice. Those named `file` are files of a multipart
   * form.
   */
  const sendPairs: Record<string, (pairs: readonly [string, unknown][]) => object> = {
    multipart: (pairs) => {
      const data = new FormData();
      for (const [name, value] of pairs)
        data.append(name, name === "file" ? new Blob([textOf(value)]) : (textOf(value) as never));
      return { body: data };
    },
    urlencoded: (pairs) => ({
      body: new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, textOf(value)])),
    }),
    json: (pairs) => ({
      body: `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`).join()}}`,
      headers: { "content-type": "application/json" },
    }),
  };

  it("never fails with 5xx, whatever a form holds, and stores nothing invalid", async () => {
    const [topUp, card] = [await buildTopUp(), await buildCard({ codes: 5 })];
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.jsonValue(),
      fc.constantFrom("\u0000", "9".repeat(400), "x".repeat(5000), "x".repeat(70_000), "1e9", "-1", "\ud800"),
    );
    const forms: Record<string, [string, unknown][]> = {
      "/top-up/make-order": Object.entries(orderOf(topUp)),
      "/card/make-order": Object.entries(card.form),
      "/topup/review": Object.entries({ topUpId: topUp.id, rating: 5, comment: "Good" }),
      "/balance/deposits": Object.entries({ amount: "5", currency: "USD" }),
      "/orders/1/code": [["idempotency_key", "one"]],
    };
    const known = [...new Set(Object.values(forms).flatMap((pairs) => pairs.map(([name]) => name)))];
    const meant = fc.constantFrom("__proto__", "constructor", "prototype", "toString", "file", "idempotency_key");
    const more = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...known), meant, fc.string()), value), { maxLength: 4 });
    const kept = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
    const [paths, kinds] = [fc.constantFrom(...Object.keys(forms)), fc.constantFrom(...Object.keys(sendPairs))];

    await fc.assert(
      fc.asyncProperty(paths, kinds, kept, more, async (path, kind, keep, added) => {
        const pairs = [...forms[path]!.filter((_pair, index) => keep[index]), ...added] as [string, unknown][];
        const { status, body } = await call("post", path, { token: reseller.token, ...sendPairs[kind]!(pairs) });
        expect([status < 500, body.status], JSON.stringify([path, kind, pairs])).to.deep.equal([
          true,
          status === 200 ? "success" : "failed",
        ]);
      }),
      { numRuns: 200, interruptAfterTimeLimit: 15_000 },
    );

    expect(api.routes.filter(({ method, body }) => method === "post" && body)).to.have.length(
      Object.keys(forms).length,
    );
    for (const { top_up_id, order_information: input } of await orders()) {
      if (top_up_id === null) continue;
      expect(input.map(({ field_name }: { field_name: string }) => field_name)).to.deep.equal(["Player_Id", "Server"]);
      expect(input[0].value).to.match(/^\S.{0,254}$/u);
      expect(["eu", "as"]).to.include(input[1].value);
    }
    const wrong = await query(
      `SELECT comment FROM catalogue_reviews WHERE top_up_id = $1 AND (comment !~ '[^[:space:]]' OR length(comment) > 1000)`,
      [topUp.id],
    );
    expect(wrong).to.deep.equal([]);
  });
});
