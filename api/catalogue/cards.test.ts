import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { forgetShownCodes, showCode } from "#shared/domain/catalogue/codes/codes.ts";
import { importCodes } from "#shared/domain/catalogue/codes/import-codes.ts";
import { orderCard } from "#shared/domain/catalogue/orders/order-card.ts";
import { resealAll } from "#shared/domain/operations/secrets/reseal.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildCard, buildReseller } from "#shared/testing/catalogue.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../catalogue-api.ts";

describe("orders of cards", () => {
  const service = useService();
  const api = catalogueApi();
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  beforeEach("builds a reseller", async () => {
    reseller = await buildReseller();
  });
  const post = (path: string, body: object, { token = reseller.token, key }: { token?: string; key?: string } = {}) =>
    clientOf(service.url, api)("post", path, {
      token,
      body,
      headers: { "content-type": "application/json", ...(key && { "idempotency-key": key }) },
    });
  const orders = async () =>
    (await clientOf(service.url, api)("get", "/orders", { token: reseller.token })).body.message.items;
  const show = (id: number, key: string, token = reseller.token) => post(`/orders/${id}/code`, {}, { key, token });
  async function ordered(card: { form: object }) {
    const { body } = await post("/card/make-order", card.form);
    return Number(/\d+/.exec(body.message)![0]);
  }

  it("complete at once with instant delivery, and count as a sale", async () => {
    const card = await buildCard();

    const id = await ordered(card);

    expect((await orders())[0]).to.deep.include({
      ...{ id, kind: "card", card_id: card.id, top_up_id: null, service_id: card.serviceId, code: "ready" },
      ...{ product_name: "Card", service_name: "USD 10", status: "completed", total: 10, order_information: [] },
    });
    const sold = await queryOne("SELECT sell_count FROM catalogue_cards WHERE id = $1", [card.id]);
    expect(sold).to.deep.equal({ sell_count: 1 });
  });

  it("wait for an administrator without instant delivery, with a code that is not shown before", async () => {
    const card = await buildCard({ card: { instant_delivery: 0 } });

    const id = await ordered(card);

    expect((await orders())[0]).to.include({ status: "placed", code: "reserved" });
    expect((await show(id, "one")).body.errors).to.match(/isn't completed/);
    expect((await post("/card/make-order", card.form)).body.errors).to.equal("This card is sold out.");
  });

  it("name each missing or invalid field, in the order of the form", async () => {
    const [card, other] = [await buildCard(), await buildCard()];
    const [noCard, noService] = ["The card id field is required.", "The service id field is required."];
    for (const [form, errors] of [
      [{}, [noCard, noService]],
      [{ ...card.form, serviceId: other.serviceId }, [noService]],
      [{ ...card.form, cardId: "x" }, [noCard]],
      [{ ...card.form, more: 1 }, ["The more field is not accepted."]],
    ] as const) {
      const { status, body } = await post("/card/make-order", form);
      expect([status, body.errors]).to.deep.equal([422, errors]);
    }
    expect(await orders()).to.deep.equal([]);
  });

  it("are placed once by their key", async () => {
    const card = await buildCard({ codes: 2 });

    const answers = await Promise.all([1, 2, 3].map(() => post("/card/make-order", card.form, { key: "one" })));

    expect(new Set(answers.map(({ body }) => body.message)).size).to.equal(1);
    expect(await orders()).to.have.length(1);
  });

  it("sell each of 50 codes once to 100 buyers at once", async () => {
    const card = await buildCard({ codes: 50 });

    const placed = await Promise.allSettled(Array.from({ length: 100 }, () => orderCard(reseller.caller, card.form)));

    const ids = placed.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const shown = await Promise.all(ids.map((id) => showCode(reseller.caller, id, "key")));
    expect(shown.toSorted()).to.deep.equal(card.codes.toSorted());
    for (const one of placed)
      if (one.status === "rejected") expect(one.reason.message).to.equal("This card is sold out.");
  });

  it("show their code to one key, again after a lost response, and to no other", async () => {
    const card = await buildCard();
    const id = await ordered(card);
    const stranger = await buildReseller();

    const missing = await post(`/orders/${id}/code`, {});
    const answers = await Promise.all(["one", "one", "two"].map((key) => show(id, key)));
    const winner = answers[2]!.status === 200 ? "two" : "one";
    const again = await post(`/orders/${id}/code`, { idempotency_key: winner });

    expect([missing.status, missing.body.errors]).to.deep.equal([422, ["The idempotency key field is required."]]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal(
      winner === "one" ? [200, 200, 422] : [200, 422, 422],
    );
    expect(again.body.message).to.deep.equal({ order_id: id, code: card.codes[0] });
    expect((await orders())[0].code).to.equal("shown");
    expect((await show(id, winner, stranger.token)).status).to.equal(404);
    expect((await show(2_147_483_647, winner)).status).to.equal(404);
  });

  it("forget a code a day after it was shown", async () => {
    const card = await buildCard();
    const id = await ordered(card);
    await show(id, "one");
    await query("UPDATE catalogue_codes SET shown_at = now() - interval '25 hours' WHERE order_id = $1", [id]);

    const late = await show(id, "one");
    while ((await forgetShownCodes()) > 0);

    expect(late.body.errors).to.match(/more than 24 hours ago/);
    const kept = await queryOne("SELECT code_sealed FROM catalogue_codes WHERE order_id = $1", [id]);
    expect(kept).to.deep.equal({ code_sealed: null });
    const [again] = (await importCodes(serviceItself, card.serviceId, Buffer.from(card.codes[0]!))).lines;
    expect(again!.outcome).to.equal("duplicate");
  });

  it("keep codes out of everything else that is stored", async () => {
    const card = await buildCard();
    await show(await ordered(card), "one");

    const tables = await query<{ name: string }>(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    for (const { name } of tables) {
      const found = await query(`SELECT 1 FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, [card.codes[0]]);
      expect([name, found]).to.deep.equal([name, []]);
    }
    expect(await resealAll()).to.deep.include({ column: "catalogue_codes.code_sealed", changed: 0, lost: 0 });
  });
});

describe("the stock of codes", () => {
  const service = useService();
  const importTo = ({ serviceId }: { serviceId: number }, csv: string) =>
    importCodes(serviceItself, serviceId, Buffer.from(csv));
  const outcomes = async (csv: string, card?: { serviceId: number }) => {
    const { lines } = await importTo(card ?? (await buildCard({ codes: 0 })), csv);
    return lines.map(({ line, outcome }) => `${line} ${outcome}`);
  };

  it("imports CSV files with a report of each line", async () => {
    expect(service.url).to.match(/^http/);
    const [a, b] = [newId(), newId()];
    for (const [what, csv, lines] of [
      ["header, quotes, spaces", `code\n"${a}"\n  ${b}  \n`, ["2 accepted", "3 accepted"]],
      ["sold or in stock", `${a}\r\n${b}\r\n`, ["1 duplicate", "2 duplicate"]],
      ["twice in a file", `\ufeff${newId()}\n\nx y z\nx y z\n`, ["1 accepted", "3 accepted", "4 duplicate"]],
      [
        "malformed",
        `abc\n${"x".repeat(129)}\na,b\nключ-ключ\na\u0000bcd\n`,
        [1, 2, 3, 4, 5].map((n) => `${n} malformed`),
      ],
      ["quotes", `good-${a}\nba"d"\nalso-${b}\n`, ["1 accepted", "2 malformed", "3 accepted"]],
      ["nothing", "", []],
    ] as const) {
      const random = what === "twice in a file" ? csv.replaceAll("x y z", `x ${a}`) : csv;
      expect(await outcomes(random), what).to.deep.equal(lines);
    }
  });

  it("takes concurrent imports of the same file once", async () => {
    const card = await buildCard({ codes: 0 });
    const csv = Array.from({ length: 200 }, () => newId());

    const reports = await Promise.all([csv, csv.toReversed(), csv].map((codes) => importTo(card, codes.join("\n"))));

    expect(reports.reduce((sum, { accepted }) => sum + accepted, 0)).to.equal(200);
    expect(reports.reduce((sum, { duplicate }) => sum + duplicate, 0)).to.equal(400);
  });

  it("refuses more lines than it takes, and other services than those of cards", async () => {
    const error = (work: Promise<unknown>) => work.then(String, ({ code }) => code);
    const card = await buildCard({ codes: 0 });

    expect(await error(importTo(card, "abcd\n".repeat(10_001)))).to.equal("VALIDATION_ERROR");
    expect(await error(importTo({ serviceId: 2_147_483_647 }, "abcd"))).to.equal("NOT_FOUND");
  });
});
