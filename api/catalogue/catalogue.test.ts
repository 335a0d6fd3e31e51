import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import {
  CardModel,
  CardServiceModel,
  GatewayModel,
  ServiceModel,
  TopUpModel,
} from "#shared/domain/catalogue/products/catalogue.models.ts";
import {
  findCard,
  findTopUp,
  listCategories,
  listReviews,
  listServices,
  listTopUps,
} from "#shared/domain/catalogue/products/catalogue.queries.ts";
import { buildReseller, buildTopUp, orderInformation, orderOf } from "#shared/testing/catalogue.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { catalogueApi } from "../catalogue-api.ts";
import { linkedPages } from "./paged.ts";

const image_url = "https://cdn.example.com/images/a.png";
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

describe("the catalogue API", () => {
  const service = useService();
  const api = catalogueApi();
  const call = (...args: Parameters<ReturnType<typeof clientOf>>) => clientOf(service.url, api)(...args);
  let reseller: Awaited<ReturnType<typeof buildReseller>>;
  before("builds a reseller", async () => {
    reseller = await buildReseller();
  });
  const get = (path: string, token = reseller.token) => call("get", path, { token });

  it("ignore an empty filter, as forms send it", async () => {
    for (const path of ["/top-up/list?category_id=&page=", "/topup/services?top_up_id=", "/get-card?category_id="])
      expect((await get(path)).status, path).to.equal(200);
    expect((await get("/topup/review?top_up_id=")).body.errors).to.deep.equal(["The top up id field is required."]);
  });

  it("gives a bearer token for the two keys", async () => {
    const { key } = reseller;
    const headers = { PublicKey: key.public_key, SecretKey: key.secret_key };
    const given = await call("post", "/generate/authorization-token", { headers });
    const refused = await call("post", "/generate/authorization-token", { headers: { ...headers, SecretKey: "x" } });

    expect(given.status).to.equal(200);
    expect(given.body).to.have.all.keys("status", "message", "bearer_token").and.include({ status: "success" });
    expect([refused.status, refused.body]).to.deep.equal([
      401,
      { status: "failed", errors: "The public key or the secret key is invalid." },
    ]);
    for (const authorization of [
      given.body.bearer_token,
      `Bearer ${given.body.bearer_token}`,
      `bearer ${given.body.bearer_token}`,
    ])
      expect((await call("get", "/get-category", { headers: { authorization } })).status).to.equal(200);
  });

  it("serves its document and its page below its own address", async () => {
    const document = await (await fetch(`${service.url}/catalogue/openapi.json`)).json();

    expect(Object.keys((document as { paths: object }).paths)).to.include("/top-up/make-order");
    expect((await fetch(`${service.url}/docs/catalogue`)).status).to.equal(200);
  });

  it("shows a top-up in a list and in detail as the contract says", async () => {
    const topUp = await buildTopUp({ service: { price: "9.99", discount: "10" } });
    const listed = await get(`/top-up/list?category_id=${topUp.category_id}`);
    const shown = (await get(`/top-up/details?slug=${topUp.slug}`)).body.message.topUp;

    const { items, ...page } = listed.body.message;
    const path = `${service.url}/catalogue/top-up/list`;
    const first = `${path}?category_id=${topUp.category_id}&page=1`;
    expect(page).to.deep.equal({
      ...{ current_page: 1, first_page_url: first, from: 1, last_page: 1, last_page_url: first },
      links: [
        { url: null, label: "&laquo; Previous", active: false },
        { url: first, label: "1", active: true },
        { url: null, label: "Next &raquo;", active: false },
      ],
      ...{ next_page_url: null, path, per_page: 10, prev_page_url: null, to: 1, total: 1 },
    });
    const [fields, select] = orderInformation;
    expect(items[0].order_information).to.deep.equal({ 0: fields, 1: select });
    expect(shown.order_information).to.deep.equal([fields, select]);
    expect(items[0].image).to.include({ image: "images/a.png", image_driver: "url" });
    expect(items[0]).to.include({ status: 1, instant_delivery: 0, total_review: 0, avg_rating: 0, deleted_at: null });
    for (const time of [items[0].created_at, items[0].services[0].updated_at]) expect(time).to.match(instant);
    expect(items[0]).to.include({ top_up_detail_route: `${service.url}/catalogue/top-up/details?slug=${topUp.slug}` });
    expect(items[0].services[0]).not.to.have.any.keys("currency", "discountedAmount");
    expect(shown.active_services[0]).to.include({
      ...{ price: 9.99, discount: 10, discount_type: "percentage", is_offered: 0, old_data: null, campaign_data: null },
      ...{ currency: "USD", currency_symbol: "$", discountedAmount: 1, discountedPriceWithoutDiscount: 8.99 },
      image_path: image_url,
    });
    expect(shown.reviewStatic).to.deep.equal({ reviews: [], hasAlreadyOrdered: false });
  });

  it("shows what a campaign changes, and what held before", async () => {
    const topUp = await buildTopUp({ service: { price: "9.9900" }, campaign: { price: "4.5", max_sell: 3 } });
    const [offered] = (await get(`/topup/services?top_up_id=${topUp.id}`)).body.message.services;

    expect(offered).to.deep.include({
      ...{ price: 4.5, discount: 1, discount_type: "flat", is_offered: 1, offered_sell: 0, max_sell: 3 },
      old_data: { price: 9.99, discount: 10, discount_type: "percentage" },
      campaign_data: { price: "4.5", discount: "1", discount_type: "flat", max_sell: "3" },
    });
    const [past, future] = [new Date(Date.now() - 7_200_000), new Date(Date.now() + 7_200_000)];
    for (const change of [
      { starts_at: past, ends_at: new Date(Date.now() - 1000) },
      { starts_at: future, ends_at: new Date(Date.now() + 8_000_000) },
      { ended_at: new Date() },
    ]) {
      const over = await buildTopUp({ campaign: change });
      const [regular] = (await get(`/topup/services?top_up_id=${over.id}`)).body.message.services;
      expect(regular).to.deep.include({ price: 9.99, is_offered: 0, old_data: null, campaign_data: null });
    }
  });

  it("hides what is not active", async () => {
    const inactive = [{ topUp: { status: 0 } }, { topUp: { retired_at: new Date() } }];
    for (const parts of inactive) {
      const topUp = await buildTopUp(parts);
      expect((await get(`/top-up/details?slug=${topUp.slug}`)).status).to.equal(404);
      expect((await get(`/topup/review?top_up_id=${topUp.id}`)).status).to.equal(404);
      expect((await get(`/topup/services?top_up_id=${topUp.id}`)).body.message.services).to.deep.equal([]);
      const { categories } = (await get("/get-category")).body.message;
      expect(categories.find(({ id }: { id: number }) => id === topUp.category_id)).to.include({ active_children: 0 });
    }
    const topUp = await buildTopUp({ service: { status: 0 } });
    expect((await get(`/top-up/details?slug=${topUp.slug}`)).body.message.topUp.active_services).to.deep.equal([]);
  });

  it("shows cards, and gateways without their secrets", async () => {
    const { category_id } = await buildTopUp();
    const product = { name: "Card", slug: `card-${category_id}`, region: "Global", image_url, preview_url: image_url };
    const { id } = await CardModel.create({ ...product, category_id, trending: 1, guide: "<p>Redeem</p>" });
    await CardServiceModel.create({
      card_id: id,
      name: "10",
      image_url,
      currency: "JPY",
      price: "999",
      discount: "0.5",
    });
    const gateway = { code: `pay-${id}-${Date.now()}`, name: "Pay", image_url, description: "", environment: "live" };
    const lists = {
      parameter_names: ["secret_key"],
      currencies: {},
      supported_currency: [],
      receivable_currencies: [],
    };
    await GatewayModel.create({ ...gateway, ...lists });

    const [listed] = (await get(`/get-card?category_id=${category_id}`)).body.message.cards;
    const shown = (await get(`/card/details?card_id=${id}`)).body.message;

    const keys = ["id", "category_id", "name", "slug", "status", "product_image", "preview_image"];
    expect(listed).to.have.all.keys(...keys);
    expect(shown).to.include({ id, trending: 1, guide: "<p>Redeem</p>", sell_count: 0, instant_delivery: 0 });
    expect(shown.services[0]).to.include({ currency: "JPY", discountedAmount: 5, discountedPriceWithoutDiscount: 994 });
    const own = shown.gateways.find(({ code }: { code: string }) => code === gateway.code);
    expect(own.parameters).to.deep.equal({ secret_key: "[redacted]" });
    expect((await get("/card/details?card_id=2147483647")).status).to.equal(404);
  });

  it("sanitises descriptions and guides when they are written, and again when they are read", async () => {
    const attack = `<p onclick="x()">Gems</p><script>x()</script><img src="javascript:x()"><a href="data:text/html,x">y</a>`;
    const safe = /^<p>Gems<\/p><img \/><a rel="nofollow noopener">y<\/a>$/;
    const topUp = await buildTopUp({ topUp: { description: attack } });
    expect((await TopUpModel.findByPk(topUp.id))?.get("description")).to.match(safe);
    await query("UPDATE catalogue_top_ups SET description = $2, guide = $2 WHERE id = $1", [topUp.id, attack]);

    const shown = (await get(`/top-up/details?slug=${topUp.slug}`)).body.message.topUp;

    for (const html of [shown.description, shown.guide]) expect(html).to.match(safe);
  });

  it("reads each list and detail by two statements at most, whatever its size", async () => {
    const topUp = await buildTopUp();
    for (let price = 1; price <= 20; price += 1)
      await ServiceModel.create({ top_up_id: topUp.id, name: "Gems", image_url, currency: "USD", price: `${price}` });

    // With the lookup of the token they are three.
    for (const [name, read] of Object.entries({
      categories: () => listCategories(),
      topUps: () => listTopUps(undefined, 1),
      topUp: () => findTopUp(topUp.slug, reseller.owner.id),
      services: () => listServices(undefined),
      reviews: () => listReviews(topUp.id, reseller.owner.id, 1),
      card: () => findCard(1),
    }))
      expect([name, (await statementsOf(read)).length <= 2]).to.deep.equal([name, true]);
  });

  it("links pages like the paginator that clients know", () => {
    expect(linkedPages(1, 1)).to.deep.equal([1]);
    expect(linkedPages(13, 13)).to.have.length(13);
    expect(linkedPages(7, 20)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "...", 19, 20]);
    expect(linkedPages(10, 20)).to.deep.equal([1, 2, "...", 7, 8, 9, 10, 11, 12, 13, "...", 19, 20]);
    expect(linkedPages(20, 20)).to.deep.equal([1, 2, "...", 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  });

  it("lists orders to their owner alone", async () => {
    const topUp = await buildTopUp();
    const stranger = await buildReseller();
    await call("post", "/top-up/make-order", {
      token: reseller.token,
      body: new URLSearchParams(orderOf(topUp) as never),
    });

    expect((await get("/orders")).body.message.items[0].top_up_id).to.equal(topUp.id);
    expect((await get("/orders", stranger.token)).body.message.items).to.deep.equal([]);
  });

  it("knows nothing of what doesn't exist", async () => {
    for (const path of ["/top-up/details?slug=none", "/card/details?card_id=2147483647", "/orders/2147483647"])
      expect((await get(path)).status, path).to.equal(404);
  });
});
