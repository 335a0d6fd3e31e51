import { createHmac } from "node:crypto";
import type { FakeStripe } from "./fakes/fake-stripe.ts";
import { nowSeconds } from "./fakes/stripe-books.ts";

type Webhook = ReturnType<FakeStripe["signed"]>;
type Event = { readonly data: { readonly object: object } };

/** Webhooks of an event that Stripe hasn't signed, or not so, or not now, by what is wrong with each. */
export function forgedWebhooks(fake: FakeStripe, event: Event): ReadonlyMap<string, Webhook> {
  const body = JSON.stringify(event);
  const right = fake.signed(body);
  const withHeader = (signature: string): Webhook => ({
    body,
    headers: { ...right.headers, "stripe-signature": signature },
  });
  return new Map([
    ...bySecret(fake, body),
    ...byTime(fake, body, withHeader),
    ...byBody(event, right),
    ...byScheme(fake, body, withHeader),
    ...bySignature(right.headers["stripe-signature"], withHeader),
    ["no header", { body, headers: { "content-type": "application/json" } as Webhook["headers"] }],
  ]);
}

/** Signed with what a forger knows, guesses, or has of another account. */
function bySecret(fake: FakeStripe, body: string): [string, Webhook][] {
  const { webhookSecret: right, secretKey } = fake;
  const near = [
    ...["", " ", "whsec_", "secret", "null", "undefined", right.slice(6), right.slice(0, -1), right.slice(1)],
    ...[`${right} `, ` ${right}`, `${right}0`, right.toUpperCase(), [...right].reverse().join(""), `${right}${right}`],
    ...[Buffer.from(right).toString("base64"), secretKey, `whsec_${secretKey}`, `whsec_old_${right}`, "\u0000"],
  ].filter((secret) => secret !== "");
  const others = Array.from({ length: 60 }, (_, n) => `whsec_${n}`);
  return [...near, ...others].map((secret) => [`the secret ${secret}`, fake.signed(body, { secret })]);
}

/** Signed too long ago, or at another time than the header says. */
function byTime(fake: FakeStripe, body: string, withHeader: (signature: string) => Webhook): [string, Webhook][] {
  const now = nowSeconds();
  const ages = [302, 310, 400, 600, 900, 1800, 3600, 7200, 86_400, 604_800, 3e7, now - 1];
  const signatureAt = (timestamp: number) =>
    fake.signed(body, { timestamp }).headers["stripe-signature"].split(",v1=")[1]!;
  const moved = [1, -1, 60, -60, 299, 3600, -3600, 86_400, 3e7, 1e9];
  return [
    ...ages.map((age): [string, Webhook] => [`signed ${age} s ago`, fake.signed(body, { timestamp: now - age })]),
    ...ages.map((age): [string, Webhook] => [
      `signed ${age} s ago, as if now`,
      withHeader(`t=${now},v1=${signatureAt(now - age)}`),
    ]),
    ...moved.map((by): [string, Webhook] => [`moved by ${by} s`, withHeader(`t=${now + by},v1=${signatureAt(now)}`)]),
  ];
}

/** Changed after it was signed. */
function byBody(event: Event, { body, headers }: Webhook): [string, Webhook][] {
  const places = Array.from({ length: 60 }, (_, at) => Math.floor(((at + 0.5) * body.length) / 60));
  const object = (change: object) =>
    JSON.stringify({ ...event, data: { object: { ...event.data.object, ...change } } });
  const changes = ["amount_total", "client_reference_id", "currency", "payment_intent", "payment_status", "id", "url"];
  return [
    ...places.map((at): [string, Webhook] => [
      `another byte at ${at}`,
      { body: `${body.slice(0, at)}${body[at] === "1" ? "2" : "1"}${body.slice(at + 1)}`, headers },
    ]),
    ...changes.map((name): [string, Webhook] => [`another ${name}`, { body: object({ [name]: "x" }), headers }]),
    ...Array.from({ length: 20 }, (_, n): [string, Webhook] => [
      `${n}`,
      { body: object({ amount_total: n }), headers },
    ]),
    ...[`${body} `, ` ${body}`, body.slice(0, -1), `${body}${body}`, "", "{}", "null"].map(
      (other): [string, Webhook] => [`the body ${other.length}: ${other.slice(0, 9)}`, { body: other, headers }],
    ),
    ["formatted", { body: JSON.stringify(event, null, 2), headers }],
  ];
}

/** Signed by another scheme, or by the right one of something else. */
function byScheme(fake: FakeStripe, body: string, withHeader: (signature: string) => Webhook): [string, Webhook][] {
  const t = nowSeconds();
  const hmac = (text: string, kind = "sha256") => createHmac(kind, fake.webhookSecret).update(text);
  const right = hmac(`${t}.${body}`).digest("hex");
  const headers = {
    ...Object.fromEntries(
      ["v0", "v2", "v10", "V1", "v", "v1 ", "s", "sha256"].map((name) => [name, `t=${t},${name}=${right}`]),
    ),
    ...Object.fromEntries(
      ["sha1", "sha384", "sha512", "md5"].map((kind) => [
        kind,
        `t=${t},v1=${hmac(`${t}.${body}`, kind).digest("hex")}`,
      ]),
    ),
    "of the body alone": `t=${t},v1=${hmac(body).digest("hex")}`,
    "of another order": `t=${t},v1=${hmac(`${body}.${t}`).digest("hex")}`,
    "without a dot": `t=${t},v1=${hmac(`${t}${body}`).digest("hex")}`,
    "in base64": `t=${t},v1=${hmac(`${t}.${body}`).digest("base64")}`,
    "in capitals": `t=${t},v1=${right.toUpperCase()}`,
    "without a time": `v1=${right}`,
    "without a name": `t=${t},${right}`,
    "two times": `t=${t - 900},t=${t - 901},v1=${right}`,
    "a time that is text": `t=now,v1=${right}`,
    "a time that is negative": `t=-1,v1=${right}`,
    "a hash without a key": `t=${t},v1=${"0".repeat(64)}`,
  };
  return Object.entries(headers).map(([what, header]) => [`the scheme ${what}`, withHeader(header)]);
}

/** With other signatures than the right one. */
function bySignature(right: string, withHeader: (signature: string) => Webhook): [string, Webhook][] {
  const start = right.indexOf("v1=") + 3;
  const flips = Array.from({ length: 64 }, (_, digit) => start + digit).map((at): [string, Webhook] => [
    `another digit ${at}`,
    withHeader(`${right.slice(0, at)}${right[at] === "0" ? "1" : "0"}${right.slice(at + 1)}`),
  ]);
  const shapes = ["", "t=1", "t=1,v1=", ",", "=", "t", "v1", right.slice(0, -1), `${right}0`, right.slice(0, start)];
  return [...flips, ...shapes.map((header): [string, Webhook] => [`the header ${header}`, withHeader(header)])];
}
