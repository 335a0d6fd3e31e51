import { randomInt, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { type JWTPayload, SignJWT } from "jose";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";

/** What marks Apple's certificates: that which signs receipts, and that of its issuer. */
export const markers = { leaf: "1.2.840.113635.100.6.11.1", intermediate: "1.2.840.113635.100.6.2.1" } as const;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
type Keys = webcrypto.CryptoKeyPair;

/** What tests of forgeries change about the certificates. */
interface ChainChanges {
  readonly leafMarker?: string | null;
  readonly intermediateMarker?: string | null;
  readonly isAuthority?: boolean;
  /** Of the leaf. */
  readonly validFrom?: Date;
  readonly validTo?: Date;
  /** Signs the leaf instead of the intermediate. */
  readonly leafSignedBy?: Keys;
  /** Where to ask whether the leaf or the intermediate is revoked (OCSP). */
  readonly askedAt?: { readonly leaf: string; readonly intermediate: string };
}

/** Certificates from the one that signs to the root, as a header has them (DER in base64), and the key that signs. */
export interface Chain {
  readonly x5c: string[];
  readonly keys: Keys;
}

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<Keys>;
const authority = (url: string | undefined) => (url ? [new x509.AuthorityInfoAccessExtension({ ocsp: url })] : []);
const marker = (oid: string | null) => (oid ? [new x509.Extension(oid, false, new Uint8Array([5, 0]))] : []);

/**
 * A certificate authority shaped like Apple's, and what its store signs. For the demo's stand-in for the store, and for
 * tests.
 */
export class DemoApple {
  readonly bundleId = "com.example.app";
  readonly appId = 1_234_567_890;
  readonly root: x509.X509Certificate;
  readonly rootKeys: Keys;
  #chain!: Chain;
  #serial = 1;

  private constructor(root: x509.X509Certificate, rootKeys: Keys) {
    this.root = root;
    this.rootKeys = rootKeys;
  }

  static async start(): Promise<DemoApple> {
    const keys = await newKeys();
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: "01",
      name: "CN=Apple Root CA - Demo",
      notBefore: new Date(clock.now() - daysMs(3650)),
      notAfter: new Date(clock.now() + daysMs(3650)),
      signingAlgorithm: algorithm,
      keys,
      extensions: [new x509.BasicConstraintsExtension(true, 2, true)],
    });
    const fake = new DemoApple(root, keys);
    fake.#chain = await fake.chain();
    return fake;
  }

  get rootCertificate(): Buffer {
    return Buffer.from(this.root.rawData);
  }

  async chain(changes: ChainChanges = {}): Promise<Chain & { readonly intermediateKeys: Keys }> {
    const { leafMarker = markers.leaf, intermediateMarker = markers.intermediate, isAuthority = true } = changes;
    const { validFrom = new Date(clock.now() - daysMs(300)), validTo = new Date(clock.now() + daysMs(300)) } = changes;
    const [intermediateKeys, keys] = await Promise.all([newKeys(), newKeys()]);
    const made = (
      subject: string,
      own: Keys,
      issuer: string,
      by: Keys,
      extensions: x509.Extension[],
      leaf: boolean,
    ) => {
      this.#serial += 1;
      return x509.X509CertificateGenerator.create({
        serialNumber: this.#serial.toString(16).padStart(4, "0"),
        subject,
        issuer,
        notBefore: leaf ? validFrom : new Date(clock.now() - daysMs(3000)),
        notAfter: leaf ? validTo : new Date(clock.now() + daysMs(3000)),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: by.privateKey,
        extensions,
      });
    };
    const intermediate = await made(
      "CN=Apple Worldwide Developer Relations - Demo",
      intermediateKeys,
      this.root.subject,
      this.rootKeys,
      [
        new x509.BasicConstraintsExtension(isAuthority, undefined, true),
        ...marker(intermediateMarker),
        ...authority(changes.askedAt?.intermediate),
      ],
      false,
    );
    const leaf = await made(
      "CN=Prod ECC Mac App Store and iTunes Store Receipt Signing - Demo",
      keys,
      intermediate.subject,
      changes.leafSignedBy ?? intermediateKeys,
      [...marker(leafMarker), ...authority(changes.askedAt?.leaf)],
      true,
    );
    const x5c = [leaf, intermediate, this.root].map((one) => Buffer.from(one.rawData).toString("base64"));
    return { x5c, keys, intermediateKeys };
  }

  /** Signs anything as Apple does, or by another chain. */
  async sign(payload: object, { x5c, keys }: Chain = this.#chain): Promise<string> {
    return new SignJWT(payload as JWTPayload).setProtectedHeader({ alg: "ES256", x5c }).sign(keys.privateKey);
  }

  /** The payload of a consumable that cost 9.99 USD. */
  transaction(productId: string, changes: object = {}): Record<string, unknown> & { transactionId: string } {
    // Of another process, or an earlier one, none is the same.
    const transactionId = String(2 * 10 ** 15 + randomInt(2 ** 47));
    return {
      transactionId,
      originalTransactionId: transactionId,
      bundleId: this.bundleId,
      productId,
      purchaseDate: clock.now() - 60_000,
      originalPurchaseDate: clock.now() - 60_000,
      quantity: 1,
      type: "Consumable",
      inAppOwnershipType: "PURCHASED",
      signedDate: clock.now() - 30_000,
      environment: "Sandbox",
      storefront: "USA",
      storefrontId: "143441",
      transactionReason: "PURCHASE",
      price: 9990,
      currency: "USD",
      ...changes,
    };
  }

  /** The payload of a notice about a transaction, and maybe its renewal. */
  async notice(
    notificationType: string,
    {
      transaction,
      renewal,
      data,
      ...changes
    }: {
      readonly transaction?: object;
      readonly renewal?: object;
      readonly data?: object;
      readonly [name: string]: unknown;
    } = {},
  ): Promise<Record<string, unknown>> {
    const signedDate = clock.now() - 20_000;
    return {
      notificationType,
      notificationUUID: newId(),
      version: "2.0",
      signedDate,
      data: {
        environment: "Sandbox",
        appAppleId: this.appId,
        bundleId: this.bundleId,
        bundleVersion: "1",
        ...(transaction && { signedTransactionInfo: await this.sign(transaction) }),
        ...(renewal && {
          signedRenewalInfo: await this.sign({ environment: "Sandbox", signedDate, autoRenewStatus: 1, ...renewal }),
        }),
        ...data,
      },
      ...changes,
    };
  }
}
