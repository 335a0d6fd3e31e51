import { createHmac, createSign, generateKeyPairSync, KeyObject, X509Certificate } from "node:crypto";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { type Chain, type FakeApple, markers } from "./fakes/fake-apple.ts";

/** A payload as someone signs it who isn't Apple, or whom Apple hasn't allowed to, by what is wrong with it. */
export type Forgeries = Readonly<Record<string, (payload: object) => string | Promise<string>>>;

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const joined = (header: object, payload: object, signature: string) =>
  `${encoded(header)}.${encoded(payload)}.${signature}`;

/** All ways to sign anything that must not be believed. */
export async function forgeriesOf(fake: FakeApple, stranger: FakeApple): Promise<Forgeries> {
  return { ...(await byChain(fake, stranger)), ...(await byHeader(fake)), ...(await bySignature(fake)) };
}

/** Certificates that don't lead from a signing certificate of Apple's to its root. */
async function byChain(fake: FakeApple, stranger: FakeApple): Promise<Forgeries> {
  const right = await fake.chain();
  const [leaf, intermediate, root] = right.x5c as [string, string, string];
  const strange = await stranger.chain();
  const [otherLeaf, otherIntermediate, otherRoot] = strange.x5c as [string, string, string];
  const { keys } = right;
  const past = { validFrom: new Date(clock.now() - daysMs(400)), validTo: new Date(clock.now() - daysMs(30)) };
  const future = { validFrom: new Date(clock.now() + daysMs(1)), validTo: new Date(clock.now() + daysMs(30)) };
  const made: Record<string, Chain> = {
    "a leaf without its marker": await fake.chain({ leafMarker: null }),
    "a leaf with the marker of the intermediate": await fake.chain({ leafMarker: markers.intermediate }),
    "an intermediate without its marker": await fake.chain({ intermediateMarker: null }),
    "an intermediate with the marker of the leaf": await fake.chain({ intermediateMarker: markers.leaf }),
    "no markers": await fake.chain({ leafMarker: null, intermediateMarker: null }),
    "an intermediate that is no authority": await fake.chain({ isAuthority: false }),
    "a leaf that another key has signed": await fake.chain({ leafSignedBy: strange.keys }),
    "a leaf that has signed itself": await fake.chain({ leafSignedBy: keys }),
    "a leaf that was expired": await fake.chain(past),
    "a leaf that isn't valid yet": await fake.chain(future),
    "an authority of one's own": strange,
    "one's own authority with Apple's root": { x5c: [otherLeaf, otherIntermediate, root], keys: strange.keys },
    "one's own leaf below Apple's": { x5c: [otherLeaf, intermediate, root], keys: strange.keys },
    "one's own intermediate": { x5c: [leaf, otherIntermediate, root], keys },
    "Apple's certificates and one's own key": { x5c: right.x5c, keys: strange.keys },
  };
  const shapes: Record<string, unknown> = {
    "no certificates": undefined,
    "an empty list": [],
    "the leaf alone": [leaf],
    "a chain without its root": [leaf, intermediate],
    "a fourth certificate": [leaf, intermediate, root, root],
    "the leaf twice": [leaf, leaf, root],
    "the root twice": [leaf, root, root],
    "the root as leaf": [root, intermediate, root],
    "the intermediate first": [intermediate, leaf, root],
    "the root first": [root, leaf, intermediate],
    "the chain reversed": [root, intermediate, leaf],
    "another chain after it": [otherLeaf, intermediate, root, otherRoot],
    "a text instead of a list": leaf,
    "an object instead of a list": { 0: leaf, 1: intermediate, 2: root, length: 3 },
    numbers: [1, 2, 3],
    nulls: [null, null, null],
    "text that is no certificate": ["AAAA", "BBBB", "CCCC"],
    "a certificate that is cut off": [leaf.slice(0, 200), intermediate, root],
  };
  return {
    ...Object.fromEntries(
      Object.entries(made).map(([name, chain]) => [name, (payload: object) => fake.sign(payload, chain)]),
    ),
    ...Object.fromEntries(
      Object.entries(shapes).map(([name, x5c]) => [
        name,
        (payload: object) =>
          signedBy(keys.privateKey as never, { alg: "ES256", ...(x5c !== undefined && { x5c }) }, payload),
      ]),
    ),
  };
}

function signedBy(key: Parameters<typeof KeyObject.from>[0], header: object, payload: object): string {
  const message = `${encoded(header)}.${encoded(payload)}`;
  const signer = createSign("sha256").update(message);
  return `${message}.${signer.sign({ key: KeyObject.from(key), dsaEncoding: "ieee-p1363" }, "base64url")}`;
}

/** Headers that ask for weaker signatures, or for another key. */
async function byHeader(fake: FakeApple): Promise<Forgeries> {
  const { x5c } = await fake.chain();
  const certificate = new X509Certificate(Buffer.from(x5c[0]!, "base64"));
  const secrets = {
    "the public key": certificate.publicKey.export({ type: "spki", format: "pem" }),
    "the certificate": certificate.toString(),
    nothing: "",
  };
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = own.publicKey.export({ format: "jwk" });
  const made: Record<string, (payload: object) => string> = {};
  for (const alg of ["none", "None", "NONE", "nOnE", "", "null"])
    made[`alg ${alg}`] = (payload) => joined({ alg, x5c }, payload, "");
  made["no alg"] = (payload) => joined({ x5c }, payload, "");
  for (const [name, secret] of Object.entries(secrets))
    for (const bits of [256, 384, 512])
      made[`HS${bits} with ${name}`] = (payload) => {
        const message = `${encoded({ alg: `HS${bits}`, x5c })}.${encoded(payload)}`;
        return `${message}.${createHmac(`sha${bits}`, secret).update(message).digest("base64url")}`;
      };
  for (const alg of ["ES256", "ES384", "ES512", "ES256K", "EdDSA"])
    made[`${alg} by one's own key`] = (payload) => {
      const message = `${encoded({ alg, x5c, jwk, kid: "1" })}.${encoded(payload)}`;
      const signature = createSign("sha256").update(message).sign({ key: own.privateKey, dsaEncoding: "ieee-p1363" });
      return `${message}.${signature.toString("base64url")}`;
    };
  for (const alg of ["RS256", "PS256"])
    made[`${alg} by one's own key`] = (payload) => {
      const message = `${encoded({ alg, x5c, jwk: rsa.publicKey.export({ format: "jwk" }) })}.${encoded(payload)}`;
      return `${message}.${createSign("sha256").update(message).sign(rsa.privateKey, "base64url")}`;
    };
  return made;
}

/** Signatures of Apple's of something else, or none. */
async function bySignature(fake: FakeApple): Promise<Forgeries> {
  const parts = async (payload: object) => (await fake.sign(payload)).split(".") as [string, string, string];
  const altered = (name: string, change: (signature: Buffer) => Buffer): Forgeries => ({
    [name]: async (payload) => {
      const [header, body, signature] = await parts(payload);
      return [header, body, change(Buffer.from(signature, "base64url")).toString("base64url")].join(".");
    },
  });
  const flips = [0, 7, 31, 32, 40, 63].map((place) =>
    altered(`a signature with another byte ${place}`, (bytes) => {
      bytes[place]! ^= 1;
      return bytes;
    }),
  );
  return Object.assign(
    {
      "the signature of another payload": async (payload: object) => {
        const [, , signature] = await parts({ ...payload, webOrderLineItemId: "1" });
        const [header, body] = await parts(payload);
        return [header, body, signature].join(".");
      },
      "no signature": async (payload: object) => (await parts(payload)).slice(0, 2).join("."),
      "a fourth part": async (payload: object) => [...(await parts(payload)), "AAAA"].join("."),
      "another payload in front": async (payload: object) => {
        const [header, , signature] = await parts({ webOrderLineItemId: "1" });
        return [header, encoded(payload), signature].join(".");
      },
      "plain JSON": (payload: object) => JSON.stringify(payload),
      "JSON in base64, as receipts were": (payload: object) => Buffer.from(JSON.stringify(payload)).toString("base64"),
    },
    altered("an empty signature", () => Buffer.alloc(0)),
    altered("a signature of zeros", () => Buffer.alloc(64)),
    altered("a signature that is cut off", (bytes) => bytes.subarray(0, 40)),
    altered("a signature twice", (bytes) => Buffer.concat([bytes, bytes])),
    ...flips,
  );
}
