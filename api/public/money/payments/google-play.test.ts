import { expect } from "chai";
import pLimit from "p-limit";
import { query, queryOne } from "#shared/db/query.ts";
import { minutesMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { type TokenChanges, useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { forgedIdTokens } from "#shared/testing/forged-id-tokens.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

describe("purchases at Google Play", () => {
  const service = useService();
  const google = useOpenId();
  const time = useClock();
  const play = useGooglePlay();
  const audience = "https://api.example.com/api/v1/payments/webhook/google";
  const email = "play-notices@hubbub-test.iam.gserviceaccount.com";
  const rightClaims = { aud: audience, azp: "113774264463038321964", email, email_verified: true };
  let productId: string;
  let user: BuiltUser;
  before(async () => {
    productId = await play.coinProduct(100);
  });
  beforeEach(async () => {
    play.configure({ sender: { audience, email, issuer: google.provider.issuer } });
    user = await buildUser();
  });

  const present = async (as: BuiltUser, body: unknown) =>
    service.call("post", "/payments/google", { token: as.token, body });
  const restore = (as: BuiltUser, purchase_tokens: unknown, store = "google") =>
    service.call("post", "/payments/restore", { token: as.token, body: { store, purchase_tokens } });
  const pushToken = (claims: Record<string, unknown> = {}, changes: Omit<TokenChanges, "claims"> = {}) =>
    google.provider.token("113774264463038321964", newId(), {
      ...changes,
      claims: { ...rightClaims, ...claims },
    });
  const about = (told: object, packageName = play.fake.packageName) => ({
    version: "1.0",
    packageName,
    eventTimeMillis: String(Date.now()),
    ...told,
  });
  const bodyOf = (told: unknown, messageId = newId()) =>
    JSON.stringify({
      message: { data: Buffer.from(JSON.stringify(told)).toString("base64"), messageId },
      subscription: "projects/hubbub/subscriptions/play",
    });
  const push = async (body: string, authorization?: string): Promise<number | string> => {
    const response = await fetch(`${service.url}/api/v1/payments/webhook/google`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...(authorization && { authorization }) },
    });
    const answer = (await response.json()) as { error?: { code: string } };
    return answer.error?.code ?? response.status;
  };
  const tell = async (told: object) => push(bodyOf(about(told)), `Bearer ${await pushToken()}`);
  const bought = (purchaseToken: string, notificationType = 1) => ({
    oneTimeProductNotification: { version: "1.0", notificationType, purchaseToken, sku: productId },
  });
  const buy = (more: object = {}) => play.fake.buy({ productId, account: user.id, ...more });

  it("are credited by the app or by a notice, and refunded by a notice within seconds", async () => {
    const presented = buy();
    const { status, body } = await present(user, { product_id: productId, purchase_token: presented });
    expect([status, body.data.status, body.data.provider]).to.deep.equal([200, "paid", "google"]);
    const noticed = buy();
    expect(await tell(bought(noticed))).to.equal(200);
    expect(await play.coinsOf(user)).to.equal(200);
    const orderId = play.fake.products.get(noticed)!.shown.orderId!;
    play.fake.refund(orderId, { reason: 7 });
    const startedMs = Date.now();
    const voided = { purchaseToken: noticed, orderId, productType: 2, refundType: 1 };
    expect(await tell({ voidedPurchaseNotification: voided })).to.equal(200);
    expect(await play.coinsOf(user)).to.equal(100);
    expect(Date.now() - startedMs).to.be.lessThan(minutesMs(1) / 12);
    const events = await query(
      "SELECT type, outcome FROM payment_events WHERE summary #>> '{payment,order_id}' = $1 ORDER BY id",
      [orderId],
    );
    expect(events).to.deep.equal([
      { type: "product.1", outcome: "paid" },
      { type: "voided", outcome: "refunded" },
    ]);
  });

  it("follow notices of all types, in any order and repeated", async () => {
    const { productId: vip } = await play.vipProduct();
    const token = play.fake.subscribe({ productId: vip, account: user.id });
    const types = [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 17, 18, 19, 20, 22, 99, 4];
    for (const notificationType of types)
      expect(
        await tell({ subscriptionNotification: { version: "1.0", notificationType, purchaseToken: token } }),
      ).to.equal(200);
    const orders = await query("SELECT status FROM payment_orders WHERE user_id = $1", [user.id]);
    expect(orders).to.deep.equal([{ status: "paid" }]);
    expect(await tell({ testNotification: { version: "1.0" } })).to.equal(200);
  });

  it("are sent again while Google's API can't be asked, and are recorded once", async () => {
    const token = buy();
    const body = bodyOf(about(bought(token)));
    const authorization = `Bearer ${await pushToken()}`;
    for (const trouble of ["fail", "garble", "forbid"] as const) {
      play.fake.trouble(trouble);
      expect(await push(body, authorization), trouble).to.equal("ENGINE_UNAVAILABLE");
    }
    const all = await Promise.all(Array.from({ length: 5 }, () => push(body, authorization)));
    expect(all).to.deep.equal(Array(5).fill(200));
    expect(await play.coinsOf(user)).to.equal(100);
    const orderId = play.fake.products.get(token)!.shown.orderId!;
    const recorded = await query("SELECT outcome FROM payment_events WHERE summary #>> '{payment,order_id}' = $1", [
      orderId,
    ]);
    expect(recorded).to.have.length(1);
  });

  it("are restored each by itself, also those that were restored before, on a new phone", async () => {
    const { productId: vip } = await play.vipProduct();
    const [bought, subscribed] = [buy(), play.fake.subscribe({ productId: vip, account: user.id })];
    const [strange, pending] = [buy({ account: (await buildUser()).id }), buy({ pending: true })];
    const refunded = buy();
    play.fake.refund(play.fake.products.get(refunded)!.shown.orderId!);
    const tokens = [bought, subscribed, strange, "unknown", refunded, pending];
    const { body } = await restore(user, tokens);
    const results: { order_id: string | null; error: string | null }[] = body.data;
    const errors = [null, null, "CONFLICT", "PAYMENT_SIGNATURE_INVALID", null, null];
    expect(results.map(({ error }) => error)).to.deep.equal(errors);
    expect((await restore(user, tokens)).body.data).to.deep.equal(results);
    const stored = await query("SELECT id, kind, status FROM payment_orders WHERE user_id = $1", [user.id]);
    const shown = results.map(({ order_id }) => stored.find(({ id }) => id === order_id));
    expect(shown.map((one) => one && `${one.kind} ${one.status}`)).to.deep.equal([
      ...["coins paid", "vip paid", undefined, undefined, "coins failed", "coins created"],
    ]);
    expect(await play.coinsOf(user)).to.equal(100);
    const wrong: [unknown, string?][] = [
      [[]],
      [Array(51).fill(bought)],
      [[7]],
      ["x"],
      [undefined],
      [[bought], "apple"],
    ];
    for (const one of wrong)
      expect((await restore(user, ...one)).body.error.code, JSON.stringify(one)).to.equal("VALIDATION_ERROR");
  });

  type Forge = (what: string, call: () => Promise<unknown>) => void;
  const claim = (as: BuiltUser, product_id: unknown, purchase_token: unknown) =>
    present(as, { product_id, purchase_token });
  /** A purchase of `user`, which no one has presented. */
  const unseen = () => play.fake.buy({ productId, account: user.id });

  /** What isn't the ID of an account, but resembles it. */
  const likeAccounts = (id: string): string[] => [
    ...[
      `${id}x`,
      ` ${id}`,
      `${id} `,
      `{${id}}`,
      `urn:uuid:${id}`,
      id.replaceAll("-", ""),
      id.slice(0, 18),
      `${id},${id}`,
    ],
    ...[newId(), "00000000-0000-0000-0000-000000000000", "null", "*", id.toUpperCase().replace("-", "")],
  ];
  const buyMany = (as: BuiltUser, quantity: unknown) =>
    buy({ account: as.id, more: { productLineItem: [{ productId, productOfferDetails: { quantity } }] } });

  function forgePurchases(forge: Forge, thief: BuiltUser, real: string, other: string): void {
    for (const [name, token] of Object.entries({
      "another's": real,
      "a license tester's": buy({ account: thief.id, test: true }),
      "a pending": buy({ account: thief.id, pending: true }),
      "a canceled": buy({ account: thief.id, more: { purchaseStateContext: { purchaseState: "CANCELLED" } } }),
      "one of an unknown state": buy({
        account: thief.id,
        more: { purchaseStateContext: { purchaseState: "PURCHASE_STATE_UNSPECIFIED" } },
      }),
      "one of several products": buy({
        account: thief.id,
        more: { productLineItem: [{ productId }, { productId: other }] },
      }),
      "one of nothing": buy({ account: thief.id, more: { productLineItem: [] } }),
      "a subscription's": play.fake.subscribe({ productId, account: user.id }),
      ...Object.fromEntries(likeAccounts(thief.id).map((account) => [`of ${account}`, buy({ account })])),
      ...Object.fromEntries([0, -1, 1.5, "2", 1e300].map((quantity) => [`of ${quantity}`, buyMany(thief, quantity)])),
    })) {
      forge(`${name} token`, () => claim(thief, productId, token));
      forge(`${name} token for another product`, () => claim(thief, other, token));
      forge(`${name} token restored`, () => restore(thief, [token]));
    }
    for (const wrong of [
      "",
      "x",
      "../x",
      "%2e",
      real.slice(1),
      `${real}x`,
      real.toUpperCase(),
      `${real}/`,
      "a b",
      "\u0000",
      "x".repeat(1001),
      "x".repeat(60_000),
      null,
      7,
      true,
      [],
      {},
      [real],
      { $ne: 1 },
    ])
      forge(`the token ${JSON.stringify(wrong)?.slice(0, 40)}`, () => claim(thief, productId, wrong));
    for (const wrong of ["", "unsold", "../x", "' OR 1=1", "x".repeat(256), null, 7, [], {}, [productId]])
      forge(`the product ${JSON.stringify(wrong)?.slice(0, 40)}`, () =>
        claim(thief, wrong, play.fake.buy({ productId, account: user.id })),
      );
    forge("fields of one's own", () =>
      present(thief, { product_id: productId, purchase_token: real, user_id: thief.id, coins: 9 }),
    );
  }

  async function forgeSenders(forge: Forge, thief: BuiltUser): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const claims: Record<string, unknown>[] = [
      ...["https://api.example.com", "", [], [audience, "x"], undefined].map((aud) => ({ aud })),
      ...["thief@evil.example", "", [email], undefined, email.toUpperCase()].map((one) => ({ email: one })),
      ...[false, "true", undefined].map((email_verified) => ({ email_verified })),
      ...["https://accounts.google.com", "https://evil.example"].map((iss) => ({ iss })),
      ...[now - 1, now - 3600, undefined].map((exp) => ({ exp })),
      { iat: now + 3600 },
    ];
    for (const one of claims)
      forge(`a notice with ${JSON.stringify(one)}`, async () =>
        push(bodyOf(about(bought(unseen()))), `Bearer ${await pushToken(one)}`),
      );
    const tokens = (await forgedIdTokens(google.provider, rightClaims)).filter(
      ({ what, id_token }) => !/^(nonce|sub) /.test(what) && id_token.length < 8000,
    );
    for (const { what, id_token } of tokens)
      forge(`a notice with the token: ${what}`, () => push(bodyOf(about(bought(unseen()))), `Bearer ${id_token}`));
    forge("a notice without a token", () => push(bodyOf(about(bought(unseen())))));
    forge("a notice with a user's token", async () => push(bodyOf(about(bought(unseen()))), `Bearer ${thief.token}`));
  }

  function forgeBodies(forge: Forge, authorization: string, real: string): void {
    const nonsense: unknown[] = [
      ...[null, 7, "x", [], {}, about({}), about(bought("unknown"))],
      about(bought(unseen()), "com.example.other"),
      about({ oneTimeProductNotification: { notificationType: 1, purchaseToken: [real] } }),
      about({ oneTimeProductNotification: { notificationType: -1, purchaseToken: unseen() } }),
      about({ voidedPurchaseNotification: { purchaseToken: "unknown", orderId: "GPA.0" } }),
      about({ subscriptionNotification: { notificationType: 4, purchaseToken: unseen() } }),
      about({ oneTimeProductNotification: { notificationType: 1, purchaseToken: "x".repeat(40_000) } }),
    ];
    for (const [index, told] of nonsense.entries())
      forge(`nonsense ${index} with the right token`, () => push(bodyOf(told), authorization));
    for (const [index, body] of [
      "{",
      "[]",
      "null",
      "",
      `{"message":{"data":"${"A".repeat(100_000)}"}}`,
      `${"[".repeat(30_000)}`,
      '{"message":{"data":"%%"}}',
    ].entries())
      forge(`a body ${index} of no sense`, () => push(body, authorization));
  }

  it("can't be forged: more than 300 ways credit nothing", async function () {
    this.timeout(60_000);
    time.stop();
    const thief = await buildUser();
    const other = await play.coinProduct(1_000_000);
    const [forged, atOnce] = [new Map<string, () => Promise<unknown>>(), pLimit(20)];
    const forge: Forge = (what, call) => forged.set(what, call);
    const real = buy();
    const authorization = `Bearer ${await pushToken()}`;
    forgePurchases(forge, thief, real, other);
    await forgeSenders(forge, thief);
    forgeBodies(forge, authorization, real);

    expect(forged.size).to.be.greaterThan(300);
    await Promise.all([...forged.values()].map((call) => atOnce(call)));
    expect([await play.coinsOf(thief), await play.coinsOf(user)]).to.deep.equal([0, 0]);
    const paid = await queryOne("SELECT 1 FROM payment_orders WHERE user_id = ANY ($1) AND status = 'paid'", [
      [thief.id, user.id],
    ]);
    expect(paid).to.equal(undefined);
    expect(await push(bodyOf(about(bought(real))), authorization)).to.equal(200);
    expect(await play.coinsOf(user)).to.equal(100);
  });

  it("aren't there when the app, or who sends notices, isn't configured", async () => {
    play.configure();
    expect(await tell(bought(buy()))).to.equal("NOT_FOUND");
    expect(await play.coinsOf(user)).to.equal(0);
  });
});
