import { expect } from "chai";
import { policyKeys } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { CategoryModel } from "#shared/domain/catalogue/products/catalogue.models.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { languages } from "#shared/kernel/languages.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { buildCard, buildTopUp, orderInformation } from "#shared/testing/catalogue.ts";
import { buildGift, buildGiftCategory, buildRoom, buildStickerPack, buildUser } from "#shared/testing/factories.ts";
import { useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { buildFrame, buildOffer, buildPackage, buildPlan } from "#shared/testing/sales.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { ifMatchHeader } from "./managed-routes.ts";
import { adminRoutes, managedResources } from "./routes.ts";

const image_url = "https://cdn.example.com/a.png";
const serviceOf = (name: string) => ({ name, image_url, currency: "USD", price: "9.99" });
const productOf = async (type: "top_up" | "card", name: string) => ({
  category_id: (await CategoryModel.create({ name: "Games", icon: "fa-chess", type })).id,
  ...{ name, slug: `p-${newId()}`, region: "Global", image_url, preview_url: image_url },
});

/** There is one text of a policy in a language. */
const unwrittenPolicies = policyKeys.flatMap((key) => languages.map((language) => ({ key, language })));

/** By resource: the body of a new record. `name` is unique; the first column that `q` searches has it. */
const samples: Readonly<Record<string, (name: string) => Promise<object>>> = {
  gifts: async (name) => ({
    category_id: await buildGiftCategory(),
    name,
    image_url: "https://cdn.example.com/rose.png",
    price: 10,
  }),
  gift_categories: async (name) => ({ name }),
  split_plans: async (name) => ({
    name,
    shares: [
      { to: "receiver", basis_points: 4000, asset: "earnings" },
      { to: "house", basis_points: 6000 },
    ],
    starts_at: "2099-01-01T00:00:00.000Z",
  }),
  agency_plans: async (name) => ({
    name,
    period: "month",
    targets: [{ metric: "earnings", threshold: 1, weight: 100 }],
  }),
  agencies: async (name) => ({ name, owner_id: (await buildUser()).id, country: "IN" }),
  sellers: async (name) => ({ name, user_id: (await buildUser()).id, daily_limit: 1000 }),
  payout_methods: async (name) => ({
    ...{ name, kind: "upi", fields: ["vpa"], provider: "sandbox", currency: "INR", rate: 10_000, countries: ["ZW"] },
  }),
  sticker_packs: async (name) => ({ name, image_url: "https://cdn.example.com/owl.webp" }),
  rules: async (name) => ({
    name,
    scope: { kind: "service" },
    trigger: { kind: "words", words: [`word-of-${name}`] },
    action: { kind: "block", text: "Please stay friendly." },
  }),
  policy_texts: async (title) => ({ ...unwrittenPolicies.shift()!, title, body_markdown: "Be decent." }),
  stickers: async (name) => ({
    pack_id: await buildStickerPack(),
    name,
    image_url: "https://cdn.example.com/owl.webp",
  }),
  coin_packages: async (name) => ({ name, coins: 550, bonus_coins: 50, price: 49_900, currency: "INR" }),
  offers: async (name) => ({
    name,
    kind: "campaign",
    bonus_percent: 10,
    package_ids: [(await buildPackage()).id],
    ends_at: "2099-01-01T00:00:00.000Z",
  }),
  coupons: async (name) => ({
    offer_id: await buildOffer({ kind: "coupon", bonus_percent: 5 }),
    name,
    code: `C-${newId().slice(-12).toUpperCase()}`,
  }),
  frames: async (name) => ({ name, image_url: "https://cdn.example.com/f.png", price: 300, duration_days: 30 }),
  store_products: async (name) => ({
    store: "apple",
    product_id: name,
    coin_package_id: (await buildPackage()).id,
    prices: [{ country: "IN", amount: 49_900, currency: "INR" }],
  }),
  vip_plans: async (name) => ({ name, price: 29_900, currency: "INR", duration_days: 30, benefits: ["A badge"] }),
  catalogue_categories: async (name) => ({ name, icon: "fa-chess", type: "top_up" }),
  catalogue_top_ups: async (name) => ({ ...(await productOf("top_up", name)), order_information: orderInformation }),
  catalogue_services: async (name) => ({ top_up_id: (await buildTopUp()).id, ...serviceOf(name) }),
  catalogue_campaigns: async (name) => ({
    name,
    service_id: (await buildTopUp()).serviceId,
    price: "5",
    max_sell: 50,
    starts_at: "2026-01-01T00:00:00.000Z",
    ends_at: "2099-01-01T00:00:00.000Z",
  }),
  catalogue_cards: (name) => productOf("card", name),
  catalogue_card_services: async (name) => ({ card_id: (await buildCard()).id, ...serviceOf(name) }),
  catalogue_gateways: async (name) => ({ name, code: `g${newId()}`, image_url }),
  events: async (title) => ({ title, starts_at: "2026-01-01T00:00:00.000Z", ends_at: "2099-01-01T00:00:00.000Z" }),
};

describe("a managed resource", () => {
  const service = useService();
  let admin: BuiltAdmin;
  before(async () => {
    admin = await buildAdmin();
    // Those of other test files.
    await query("DELETE FROM policy_texts");
  });
  const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    service.admin(method, path, { token: admin.token, headers, ...(body && { body }) });
  const entriesOn = (type: string, id: string | number) =>
    query("SELECT action, before, after FROM audit_log WHERE target_type = $1 AND target_id = $2 ORDER BY at", [
      type,
      String(id),
    ]);

  for (const [managed] of managedResources)
    describe(managed.resource, () => {
      const path = managed.path ?? `/${managed.resource.replaceAll("_", "-")}`;
      const searched = managed.search[0]!;
      const uniqueName = () => `=${newId().slice(-12)}`;
      async function create(name = uniqueName()) {
        const { status, body } = await call("post", path, await samples[managed.resource]!(name));
        expect(status, JSON.stringify(body)).to.equal(201);
        return body.data;
      }

      it("is created, read, found, and counted alike", async () => {
        const name = uniqueName();
        const [first] = [await create(name), await create(`${name}2`)];
        const list = async (more = "") => (await call("get", `${path}?q=${encodeURIComponent(name)}${more}`)).body.data;

        expect((await call("get", `${path}/${first.id}`)).body.data).to.deep.equal(first);
        expect((await list("&limit=1")).items).to.have.length(1);
        expect(await list("&page=1000&limit=1")).to.deep.include({ items: [], total: 2, total_pages: 2 });
        for (const sort of managed.sorts) {
          const [up, down] = [await list(`&sort=${sort}`), await list(`&sort=-${sort}`)];
          expect(down.items, sort).to.deep.equal([...up.items].reverse());
        }
        for (const filter of Object.keys(managed.filters ?? {}))
          expect((await list(`&${filter}=${first[filter]}`)).items, filter).to.deep.include(first);
      });

      it("is downloaded as CSV without formulas", async () => {
        const name = uniqueName();
        await create(name);

        const { body, headers } = await call("get", `${path}?format=csv&q=${encodeURIComponent(name)}`);

        const [head, row, ...more] = String(body).trimEnd().split("\n");
        expect(headers.get("content-disposition")).to.equal(`attachment; filename="${managed.resource}.csv"`);
        expect(head?.split(",")).to.include.members(["id", "version", searched]);
        expect(row?.split(",")).to.include(`'${name}`);
        expect(more).to.deep.equal([]);
      });

      it("tells two administrators what the other one has changed", async () => {
        const record = await create();
        const [name, other] = [uniqueName(), uniqueName()];
        const update = (value: string, version: number) =>
          call("patch", `${path}/${record.id}`, { [searched]: value }, { "if-match": `"${version}"` });

        const changed = await update(name, 1);
        const stale = await update(other, 1);
        const informed = await update(other, 2);

        expect(changed.body.data).to.include({ [searched]: name, version: 2 });
        expect([stale.status, stale.body.error.code]).to.deep.equal([409, "CONFLICT"]);
        expect(stale.body.error.details).to.deep.equal([{ field: searched, message: `${searched} is now "${name}"` }]);
        expect(informed.body.data).to.include({ [searched]: other, version: 3 });
        expect((await update(other, Number.NaN)).body.error.code).to.equal("VALIDATION_ERROR");
        const [, second, third] = await entriesOn(managed.name, record.id);
        expect([second, third]).to.deep.equal([
          {
            action: `${managed.name}.update`,
            before: { [searched]: record[searched], version: 1 },
            after: { [searched]: name, version: 2 },
          },
          {
            action: `${managed.name}.update`,
            before: { [searched]: name, version: 2 },
            after: { [searched]: other, version: 3 },
          },
        ]);
      });

      it("is deleted if nothing refers to it", async () => {
        const { id } = await create();

        const { body } = await call("delete", `${path}/${id}`);

        expect(body.data).to.deep.equal({ id, outcome: "deleted" });
        expect((await call("get", `${path}/${id}`)).status).to.equal(404);
        expect((await entriesOn(managed.name, id)).map(({ action }) => action)).to.deep.equal([
          `${managed.name}.create`,
          `${managed.name}.delete`,
        ]);
      });

      it("leaves no audit entry when the input is invalid", async () => {
        const { id } = await create();

        const { status, headers } = await call("patch", `${path}/${id}`, {});

        expect(status).to.equal(400);
        expect(
          await query("SELECT 1 FROM audit_log WHERE request_id = $1", [headers.get("x-request-id")]),
        ).to.deep.equal([]);
      });
    });

  it("is changed by its version, as everything that two administrators can edit", () => {
    // A room is changed by its actor, field by field, and its host changes it from an app that knows no versions.
    const edits = adminRoutes({ actors: noEngine }).filter(
      ({ id, method }) => (method === "patch" || method === "put") && id !== "updateRoom",
    );

    expect(edits).not.to.deep.equal([]);
    expect(edits.filter(({ headers = [] }) => !headers.includes(ifMatchHeader)).map(({ id }) => id)).to.deep.equal([]);
  });

  it("retires a gift that was ever sold, and brings it back", async () => {
    const [gift, room, sender] = [await buildGift(), await buildRoom(), await buildUser()];
    await query(
      `INSERT INTO gift_transactions (id, gift_id, room_id, sender_id, recipient_id, quantity, unit_price, total_coins,
         recipient_coins) VALUES ($1, $2, $3, $4, $5, 1, 10, 10, 5)`,
      [newId(), gift.id, room.id, sender.id, room.host.id],
    );

    const { body } = await call("delete", `/gifts/${gift.id}`);
    const retired = await call("get", `/gifts?retired=true&category_id=${gift.category_id}`);
    const back = await call("patch", `/gifts/${gift.id}`, { retired: false });

    expect(body.data.outcome).to.equal("retired");
    expect(retired.body.data.items[0].retired_at).to.be.a("string");
    expect(back.body.data.retired_at).to.equal(null);
  });

  for (const [path, build, shownAt] of [
    ["/coin-packages", buildPackage, "/coin-packages"],
    ["/frames", buildFrame, "/store/frames"],
    ["/vip-plans", buildPlan, "/store/vip-plans"],
  ] as const)
    it(`shows users each change of ${path} at once, and nothing that is retired`, async () => {
      const [{ id }, user] = [await build(), await buildUser()];
      const shown = async () => {
        const { body } = await service.call("get", shownAt, { token: user.token });
        return body.data.find((item: { id: string }) => item.id === id);
      };

      await call("patch", `${path}/${id}`, { price: 12_300 });
      const changed = await shown();
      await call("patch", `${path}/${id}`, { retired: true });

      expect(changed.price).to.equal(12_300);
      expect(await shown()).to.equal(undefined);
    });

  it("retires a coin package that was ever ordered", async () => {
    const [pack, user] = [await buildPackage(), await buildUser()];
    await service.call("post", "/payments/orders", { token: user.token, body: { package_id: pack.id } });

    expect((await call("delete", `/coin-packages/${pack.id}`)).body.data.outcome).to.equal("retired");
  });

  for (const [path, change] of [
    ["/coin-packages", { price: 0 }],
    ["/coin-packages", { coins: 1_000_000_001 }],
    ["/coin-packages", { currency: "inr" }],
    ["/frames", { price: -1 }],
    ["/frames", { duration_days: 0 }],
    ["/vip-plans", { duration_days: 3661 }],
    ["/vip-plans", { benefits: [""] }],
    ["/events", { ends_at: "2026-01-01T00:00:00.000Z" }],
    ["/events", { starts_at: "+012026-01-01T00:00:00.000Z" }],
  ] as const)
    it(`rejects ${JSON.stringify(change)} in ${path}`, async () => {
      const sample = await samples[path.slice(1).replaceAll("-", "_")]!(newId());
      const created = await call("post", path, sample);

      const [posted, patched] = [
        await call("post", path, { ...sample, ...change }),
        await call("patch", `${path}/${created.body.data.id}`, change),
      ];

      for (const { status, body } of [posted, patched]) {
        expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
        expect(body.error.details[0].field).to.match(new RegExp(`^${Object.keys(change)[0]}`));
      }
    });

  it("refuses prices that the provider of new orders wouldn't accept, but retires what has one", async () => {
    const [pack, plan] = [await buildPackage({ price: 50 }), await buildPlan()];
    const [packagePath, planPath] = [`/coin-packages/${pack.id}`, `/vip-plans/${plan.id}`];
    const secrets = { keySecrets: ["key"], webhookSecrets: ["hook"] };
    configurePayments({
      provider: "razorpay",
      razorpay: { keyId: "rzp_test", baseUrl: "http://127.0.0.1:1", ...secrets },
    });
    try {
      const least = (await call("post", "/coin-packages", { name: "Cheap", coins: 1, price: 99, currency: "INR" }))
        .body;
      expect(least.error.code).to.equal("VALIDATION_ERROR");
      expect(least.error.details).to.deep.equal([
        { field: "price", message: "price must be at least 100 minor units of INR for razorpay" },
      ]);
      const digit = (await call("patch", planPath, { price: 99_991, currency: "KWD" })).body.error.details;
      expect(digit[0].message).to.equal("price must be a multiple of 10 minor units of KWD for razorpay");
      expect((await call("patch", planPath, { price: 99_990, currency: "KWD" })).status).to.equal(200);
      expect((await call("patch", packagePath, { name: "Still cheap" })).status).to.equal(400);
      expect((await call("patch", packagePath, { retired: true })).status).to.equal(200);
    } finally {
      useSandbox();
    }
  });

  it("lists events by status, and shows users those that are active", async () => {
    const user = await buildUser();
    const create = async (starts_at: string, ends_at: string) =>
      (await call("post", "/events", { title: "A week", starts_at, ends_at })).body.data.id;
    const ids = {
      upcoming: await create("2098-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"),
      active: await create("2026-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"),
      ended: await create("2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"),
    };
    const idsIn = (items: { id: string }[]) => Object.values(ids).filter((id) => items.some((item) => item.id === id));

    for (const [status, id] of Object.entries(ids)) {
      const { body } = await call("get", `/events?status=${status}&limit=100`);
      expect(idsIn(body.data.items), status).to.deep.equal([id]);
    }
    expect(idsIn((await service.call("get", "/events", { token: user.token })).body.data)).to.deep.equal([ids.active]);
  });

  it("says which reference is wrong, and which name is taken", async () => {
    const gift = await samples.gifts!("Tulip");

    const lost = await call("post", "/gifts", { ...gift, category_id: newId() });
    const first = await call("post", "/gifts", gift);
    const twice = await call("post", "/gifts", gift);

    expect(lost.body.error.details).to.deep.equal([{ field: "category_id", message: "category_id doesn't exist" }]);
    expect([first.status, twice.status, twice.body.error.code]).to.deep.equal([201, 409, "CONFLICT"]);
  });

  it("stops a download when the administrator's session ends", async () => {
    const { id, token } = await buildAdmin();
    await query(
      `INSERT INTO gift_categories (id, name) SELECT gen_random_uuid(), 'Bulk ' || gen_random_uuid() || repeat('x', 5000)
       FROM generate_series(1, 2000)`,
    );

    const response = await fetch(`${service.url}/api/v1/admin/gift-categories?format=csv&q=Bulk`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await query("UPDATE admins SET status = 'suspended' WHERE id = $1", [id]);
    const outcome = await response.text().then(
      () => "complete",
      () => "cut",
    );
    await query("DELETE FROM gift_categories WHERE name LIKE 'Bulk %'");

    expect(outcome).to.equal("cut");
  });
});
