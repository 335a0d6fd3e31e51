import { expect } from "chai";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type FakeOpenId, type TokenChanges, useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { forgedIdTokens } from "#shared/testing/forged-id-tokens.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { NoticeSenderCheck, readGoogleNotice } from "./google-notice.ts";

const audience = "https://api.example.com/api/v1/payments/webhook/google";
const email = "gae-gcp@appspot.gserviceaccount.com";

const rightClaims = { aud: audience, azp: "113774264463038321964", email, email_verified: true };

/** A token as Google's documents show one. */
const pushToken = (google: FakeOpenId, { claims = {}, ...changes }: TokenChanges = {}) =>
  google.token("113774264463038321964", newId(), {
    ...changes,
    claims: { ...rightClaims, ...claims },
  });

describe("Notices of Google Play", () => {
  const openId = useOpenId();
  const time = useClock();
  const check = () => new NoticeSenderCheck({ audience, email, issuer: openId.provider.issuer });
  const sent = (token: string, scheme = "Bearer") => outcomeOf(check().assert({ authorization: `${scheme} ${token}` }));

  it("are accepted with a token of the subscription's service account", async () => {
    expect(await sent(await pushToken(openId.provider))).to.equal("ok");
  });

  it("are refused without a token, and with a forged, expired, or other's one", async () => {
    const { provider } = openId;
    time.stop();
    const now = Math.floor(clock.now() / 1000);
    const wrong: Record<string, unknown>[] = [
      ...["https://api.example.com", `${audience}/`, "", [], [audience, "other"]].map((aud) => ({ aud })),
      ...["other@appspot.gserviceaccount.com", `${email} `, email.toUpperCase(), "", [email], undefined].map((one) => ({
        email: one,
      })),
      ...[false, "true", undefined, 1].map((email_verified) => ({ email_verified })),
      ...["https://accounts.google.com", "accounts.google.com", `${provider.issuer}/`].map((iss) => ({ iss })),
      ...[now - 1, undefined].map((exp) => ({ exp })),
    ];
    for (const claims of wrong)
      expect(await sent(await pushToken(provider, { claims })), JSON.stringify(claims)).to.equal(
        "PAYMENT_SIGNATURE_INVALID",
      );
    const forged = (await forgedIdTokens(provider, rightClaims)).filter(({ what }) => !/^(nonce|sub) /.test(what));
    expect(forged.length).to.be.greaterThan(150);
    const sender = check();
    for (const { what, id_token } of forged)
      expect(await outcomeOf(sender.assert({ authorization: `Bearer ${id_token}` })), what).to.equal(
        "PAYMENT_SIGNATURE_INVALID",
      );
    const good = await pushToken(provider);
    for (const authorization of [undefined, "", good, `Basic ${good}`, `Bearer ${good} ${good}`, "Bearer "])
      expect(await outcomeOf(sender.assert({ ...(authorization && { authorization }) })), authorization).to.equal(
        "PAYMENT_SIGNATURE_INVALID",
      );
  });

  it("are to be sent again while Google's keys can't be read", async () => {
    const token = await pushToken(openId.provider);
    openId.provider.mood = "fails";
    expect(await sent(token)).to.equal("ENGINE_UNAVAILABLE");
    openId.provider.mood = "right";
  });

  const pushed = (told: unknown, data = Buffer.from(JSON.stringify(told) ?? "").toString("base64")) =>
    Buffer.from(
      JSON.stringify({
        message: {
          attributes: { key: "value" },
          data,
          messageId: "2070443601311540",
          publishTime: "2021-02-26T19:13:55.749Z",
        },
        subscription: "projects/myproject/subscriptions/mysubscription",
      }),
    );
  const head = { version: "1.0", packageName: "com.some.thing", eventTimeMillis: "1503349566168" };
  const read = (body: Buffer) => readGoogleNotice(body, "com.some.thing");

  it("are read as Google's documents show them", () => {
    const token = "PURCHASE_TOKEN";
    const about = { version: "1.0", purchaseToken: token };
    const documented: [object, string, object][] = [
      [
        { oneTimeProductNotification: { ...about, notificationType: 1, sku: "my.sku" } },
        "product.1",
        { kind: "product", token },
      ],
      [
        { subscriptionNotification: { ...about, notificationType: 4, subscriptionId: "monthly001" } },
        "subscription.4",
        { kind: "subscription", token },
      ],
      [
        {
          voidedPurchaseNotification: {
            purchaseToken: token,
            orderId: "GS.0000-0000-0000",
            productType: 1,
            refundType: 1,
          },
        },
        "voided",
        { kind: "voided", token, orderId: "GS.0000-0000-0000" },
      ],
      [{ testNotification: { version: "1.0" } }, "test", { kind: "none", why: "ignored" }],
    ];
    for (const [told, type, subject] of documented)
      expect(read(pushed({ ...head, ...told }))).to.deep.equal({ id: "2070443601311540", type, subject });
  });

  it("ask for nothing when they are of another app or make no sense, and are refused when they are no JSON", () => {
    const product = { notificationType: 1, purchaseToken: "t" };
    const other = { ...head, packageName: "com.other", oneTimeProductNotification: product };
    expect(read(pushed(other)).subject).to.deep.equal({ kind: "none", why: "ignored" });
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const nonsense: Buffer[] = [
      ...[null, 7, "x", [], {}, [head], { ...head, packageName: 7 }].map((told) => pushed(told)),
      ...[{ oneTimeProductNotification: [] }, { subscriptionNotification: { purchaseToken: "t" } }].map((told) =>
        pushed({ ...head, ...told }),
      ),
      ...[{ purchaseToken: { $ne: 1 } }, { purchaseToken: "x".repeat(1001) }, { notificationType: "1" }].map((wrong) =>
        pushed({ ...head, oneTimeProductNotification: { ...product, ...wrong } }),
      ),
      ...["", "%%%", "e30=e30=", Buffer.from("{").toString("base64"), Buffer.from(deep).toString("base64")].map(
        (data) => pushed(undefined, data),
      ),
      ...[{}, { message: {} }, { message: { data: 7 } }, { message: [] }].map((body) =>
        Buffer.from(JSON.stringify(body)),
      ),
    ];
    for (const body of nonsense)
      expect(read(body).subject, body.toString().slice(0, 200)).to.deep.equal({ kind: "none", why: "malformed" });
    for (const body of ["", "{", "null", "[]", '"x"', "7", "a=1"])
      expect(() => read(Buffer.from(body)), body)
        .to.throw("")
        .with.property("code", "MALFORMED_JSON");
  });
});
