import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { findTopUp, listReviews } from "#shared/domain/catalogue/products/catalogue.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { unseal } from "#shared/kernel/seal.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildCard, buildReseller, buildTopUp, orderInformation, orderOf } from "#shared/testing/catalogue.ts";
import { block, setStatus } from "#shared/testing/people.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../../catalogue-api.ts";

describe("the administration of the catalogue", () => {
  const service = useService();
  let admin: BuiltAdmin;
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  before("builds an administrator and a reseller", async () => {
    [admin, reseller] = await Promise.all([buildAdmin(), buildReseller()]);
  });
  const call = (method: string, path: string, body?: object) =>
    service.admin(method, `/catalogue${path}`, { token: admin.token, ...(body && { body }) });
  const sell = (method: string, path: string, body?: object, { token } = reseller) =>
    clientOf(service.url, catalogueApi())(method, path, {
      token,
      ...(body && { body, headers: { "content-type": "application/json" } }),
    });
  const order = (topUp: { id: number; serviceId: number }, buyer = reseller) =>
    sell("post", "/top-up/make-order", orderOf(topUp), buyer);

  it("lets an administrator build what resellers then buy", async () => {
    const image_url = "https://cdn.example.com/a.png";
    const create = async (path: string, body: object) => (await call("post", path, body)).body.data;
    const category = await create("/categories", { name: "Puzzles", icon: "fa-puzzle", type: "top_up" });
    const slug = `puzzle-${category.id}`;
    const product = { name: "Puzzle", slug, region: "Global", image_url, preview_url: image_url };
    const topUp = await create("/top-ups", {
      ...{ ...product, category_id: category.id, order_information: orderInformation },
      description: `<p onclick="x()">Pieces</p><script>x()</script>`,
    });
    const priced = { name: "10 pieces", image_url, currency: "USD", price: "4.50" };
    const sold = await create("/services", { ...priced, top_up_id: topUp.id });

    const shown = (await sell("get", `/top-up/details?slug=${slug}`)).body.message.topUp;

    expect(topUp).to.deep.include({ description: "<p>Pieces</p>", order_information: orderInformation, version: 1 });
    expect(sold).to.include({ price: "4.5", discount: "0", discount_type: "percentage", status: 1 });
    expect(shown).to.deep.include({ description: "<p>Pieces</p>", order_information: orderInformation });
    expect(shown.active_services[0]).to.include({ id: sold.id, price: 4.5 });
    expect((await order({ id: topUp.id, serviceId: sold.id })).status).to.equal(200);
  });

  it("rejects what contradicts itself or what it refers to", async () => {
    const [topUp, card] = [await buildTopUp({ campaign: { price: "4.5" } }), await buildCard()];
    const campaign = await queryOne<{ id: number }>("SELECT id FROM catalogue_campaigns WHERE service_id = $1", [
      topUp.serviceId,
    ]);
    await query("UPDATE catalogue_campaigns SET offered_sell = 7 WHERE id = $1", [campaign?.id]);
    const [player, server] = orderInformation;
    const fieldsOf = (...fields: object[]) => ({ order_information: fields });
    const [aTopUp, aService] = [`/top-ups/${topUp.id}`, `/services/${topUp.serviceId}`];
    const [aCampaign, aCard] = [`/campaigns/${campaign?.id}`, `/cards/${card.id}`];

    for (const [path, change, field] of [
      [aTopUp, { category_id: card.category_id }, "category_id"],
      [aTopUp, { category_id: 2_147_483_647 }, "category_id"],
      [aTopUp, { slug: "Star Raiders" }, "slug"],
      [aTopUp, { image_url: "javascript:x()" }, "image_url"],
      [aTopUp, { description: "&".repeat(10_000) }, "description"],
      [aTopUp, fieldsOf({ ...player, field_name: "topUpId" }), "order_information"],
      [aTopUp, fieldsOf({ ...player, field_name: "__proto__" }), "order_information"],
      [aTopUp, fieldsOf(player!, player!), "order_information"],
      [aTopUp, fieldsOf({ ...server, option: undefined }), "order_information"],
      [aTopUp, fieldsOf({ ...player, option: { a: "A" } }), "order_information"],
      [aTopUp, fieldsOf({ ...server, option: {} }), "order_information.0.option"],
      [aService, { price: "0" }, "price"],
      [aService, { price: "-1" }, "price"],
      [aService, { price: 4.99 }, "price"],
      [aService, { price: "1.005" }, "price"],
      [aService, { price: "1e3" }, "price"],
      [aService, { discount: "100.1" }, "discount"],
      [aService, { currency: "QQQ" }, "currency"],
      [aService, { currency: "JPY", price: "5" }, "currency"],
      [aService, { status: 2 }, "status"],
      [aCampaign, { price: "1.001" }, "price"],
      [aCampaign, { ends_at: "2026-01-01T00:00:00.000Z" }, "ends_at"],
      [aCampaign, { max_sell: 6 }, "max_sell"],
      [aCampaign, { service_id: 2_147_483_647 }, "service_id"],
      [aCard, { category_id: topUp.category_id }, "category_id"],
      [`/categories/${card.category_id}`, { type: "top_up" }, "type"],
      ["/gateways", { code: "X Y" }, "code"],
    ] as const) {
      const { status, body } = await call(path === "/gateways" ? "post" : "patch", path, change);
      expect([path, change, status, body.error?.details?.[0]?.field]).to.deep.equal([path, change, 400, field]);
    }
    expect((await call("delete", `/categories/${card.category_id}`)).status).to.equal(409);
  });

  it("runs one campaign of a service at a time, until it is ended", async () => {
    const topUp = await buildTopUp();
    const times = { starts_at: "2026-01-01T00:00:00.000Z", ends_at: "2099-01-01T00:00:00.000Z" };
    const values = { name: "Sale", service_id: topUp.serviceId, price: "5", max_sell: 5, ...times };
    const created = await call("post", "/campaigns", values);
    const { id } = created.body.data;
    await order(topUp);
    const second = await call("post", "/campaigns", values);
    const idsOf = async (status: string) => {
      const { body } = await call("get", `/campaigns?status=${status}&service_id=${topUp.serviceId}`);
      return body.data.items.map((item: { id: number }) => item.id);
    };
    expect([created.status, second.status]).to.deep.equal([201, 409]);
    expect([await idsOf("upcoming"), await idsOf("running"), await idsOf("ended")]).to.deep.equal([[], [id], []]);

    const ended = await call("post", `/campaigns/${id}/end`);

    expect(ended.body.data).to.include({ version: 2, offered_sell: 1 });
    expect(await idsOf("ended")).to.deep.equal([id]);
    for (const [method, path] of [
      ["post", `/campaigns/${id}/end`],
      ["delete", `/campaigns/${id}`],
    ] as const)
      expect((await call(method, path)).status).to.equal(409);
    expect((await call("patch", `/campaigns/${id}`, { max_sell: 9 })).status).to.equal(400);
    await order(topUp);
    const { items } = (await sell("get", "/orders")).body.message;
    expect(items.slice(0, 2).map(({ price }: { price: number }) => price)).to.deep.equal([9.99, 5]);
    expect((await call("post", "/campaigns", { ...values, starts_at: "2098-01-01T00:00:00.000Z" })).status).to.equal(
      201,
    );
  });

  it("retires what was ordered, and sells it no longer", async () => {
    const topUp = await buildTopUp();
    await order(topUp);

    const outcomes = await Promise.all(
      [`/services/${topUp.serviceId}`, `/top-ups/${topUp.id}`].map((path) => call("delete", path)),
    );

    expect(outcomes.map(({ body }) => body.data.outcome)).to.deep.equal(["retired", "retired"]);
    expect((await order(topUp)).status).to.equal(422);
    expect((await sell("get", `/top-up/details?slug=${topUp.slug}`)).status).to.equal(404);
    await call("patch", `/top-ups/${topUp.id}`, { retired: false });
    expect((await sell("get", `/top-up/details?slug=${topUp.slug}`)).body.message.topUp).to.deep.include({
      active_services: [],
      deleted_at: null,
    });
  });

  it("stores the secrets of a gateway encrypted, and never shows them", async () => {
    const secret = `sk_${newId()}`;
    const code = `g${newId()}`;
    const image_url = "https://cdn.example.com/a.png";
    const made = await call("post", "/gateways", { code, name: "Pay", image_url, parameters: { secret_key: secret } });
    const { id } = made.body.data;
    const path = `/gateways/${id}`;
    const changed = await call("patch", path, { parameters: { api_token: secret, account: "7" } });
    const topUp = await buildTopUp();

    const shown = [made, changed, await call("get", path), await sell("get", `/top-up/details?slug=${topUp.slug}`)];
    const kept = await query(
      `SELECT to_jsonb(g) AS row FROM catalogue_gateways g WHERE id = $1 UNION ALL
       SELECT to_jsonb(a) FROM audit_log a WHERE target_type = 'catalogue_gateway' AND target_id = $1::text`,
      [id],
    );

    expect(changed.body.data).to.deep.include({ parameter_names: ["api_token", "account"], version: 2 });
    const sold = shown[3]!.body.message.topUp.gateways.find((gateway: { id: number }) => gateway.id === id);
    expect(sold.parameters).to.deep.equal({ api_token: "[redacted]", account: "[redacted]" });
    expect(kept).to.have.length(3);
    expect(JSON.stringify([shown, kept])).not.to.include(secret);
    const [{ sealed } = { sealed: "" }] = await query<{ sealed: string }>(
      "SELECT parameters_sealed AS sealed FROM catalogue_gateways WHERE id = $1",
      [id],
    );
    expect(unseal(`gateway ${id}`, sealed)).to.equal(JSON.stringify({ api_token: secret, account: "7" }));
  });

  describe("of reviews", () => {
    const buildReviews = async () => {
      const topUp = await buildTopUp();
      const authors = await Promise.all(Array.from({ length: 6 }, () => buildReseller()));
      for (const [index, author] of authors.entries()) {
        if (index < 3) await order(topUp, author);
        await sell("post", "/topup/review", { topUpId: topUp.id, rating: (index % 5) + 1, comment: "Good" }, author);
      }
      const { body } = await call("get", `/reviews?top_up_id=${topUp.id}&sort=id`);
      return { topUp, authors, reviews: body.data.items as { id: number; status: string; user_id: string }[] };
    };
    const countersOf = async ({ id }: { id: number }) => {
      const [stored, counted] = await Promise.all([
        queryOne("SELECT total_review AS count, rating_sum AS sum FROM catalogue_top_ups WHERE id = $1", [id]),
        queryOne(
          "SELECT count(*), coalesce(sum(rating), 0) AS sum FROM catalogue_reviews WHERE top_up_id = $1 AND status = 1",
          [id],
        ),
      ]);
      expect(stored).to.deep.equal(counted);
      return stored;
    };

    it("holds, publishes, and removes them, and counts those that are published", async () => {
      const { topUp, authors, reviews } = await buildReviews();
      const [published, , , held] = reviews;
      const decide = async (id: number, verdict: string) => {
        const { status, body } = await call("post", `/reviews/${id}/${verdict}`, { reason: "Rules" });
        return status === 200 ? body.data.status : status;
      };

      expect(reviews.map(({ status }) => status)).to.deep.equal([
        ...Array(3).fill("published"),
        ...Array(3).fill("held"),
      ]);
      expect(reviews[0]?.user_id).to.equal(authors[0]?.owner.id);
      expect(await countersOf(topUp)).to.deep.equal({ count: 3, sum: 6 });
      expect(await decide(published!.id, "hold")).to.equal("held");
      expect(await decide(held!.id, "publish")).to.equal("published");
      expect(await countersOf(topUp)).to.deep.equal({ count: 3, sum: 9 });
      expect(await decide(held!.id, "remove")).to.equal("removed");
      for (const verdict of ["publish", "hold", "remove"]) expect(await decide(held!.id, verdict)).to.equal(409);
      expect(await decide(2_147_483_647, "hold")).to.equal(404);
      expect(await countersOf(topUp)).to.deep.equal({ count: 2, sum: 5 });
      const again = { topUpId: topUp.id, rating: 1, comment: "Again" };
      expect((await sell("post", "/topup/review", again, authors[3])).status).to.equal(422);
    });

    it("counts right when all decide at once", async () => {
      const { topUp, reviews } = await buildReviews();
      const verdicts = ["publish", "hold", "remove", "publish"];

      await Promise.all(
        reviews.flatMap(({ id }) => verdicts.map((verdict) => call("post", `/reviews/${id}/${verdict}`, {}))),
      );

      await countersOf(topUp);
    });

    it("are shown without their authors to users who may not see them, and count all the same", async () => {
      const { topUp, authors, reviews } = await buildReviews();
      const [first, second, third] = authors.map(({ owner }) => owner);
      await setStatus(first!, "suspended");
      await block(second!, reseller.owner);

      const listed = (await listReviews(topUp.id, reseller.owner.id, 1))!;
      const details = (await findTopUp(topUp.slug, reseller.owner.id))!;

      const shown = Object.fromEntries(
        listed.items.map(({ id, full_name, email }) => [id, [full_name !== null, email]]),
      );
      expect(listed.total).to.equal(3);
      expect(details).to.include({ total_review: 3 }).and.have.property("reviews").with.length(3);
      expect(shown).to.deep.equal({
        [reviews[0]!.id]: [false, null],
        [reviews[1]!.id]: [false, null],
        [reviews[2]!.id]: [true, third!.email],
      });
      expect(details.reviews.map(({ id, full_name, email }) => [id, [full_name !== null, email]])).to.have.deep.members(
        Object.entries(shown).map(([id, author]) => [Number(id), author]),
      );
    });
  });
});
