import { query, queryOne } from "#shared/db/query.ts";
import { configureStores } from "#shared/domain/money/stores/stores.config.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { FakeApple } from "./fake-apple.ts";

/** Makes a fake Apple the store of this process. */
export function configureApple(
  fake: FakeApple,
  change: { baseUrl?: string; privateKey?: string; environment?: "production" } = {},
): void {
  const { baseUrl, privateKey, environment = "sandbox" } = change;
  configureStores({
    apple: {
      environment,
      bundleId: fake.bundleId,
      appId: fake.appId,
      rootCertificates: [fake.rootCertificate],
      onlineChecks: false,
      ...(privateKey && { key: { issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "EF78GH90IJ", privateKey } }),
      ...(baseUrl && { baseUrl }),
    },
  });
}

/** Returns the kinds of the notices of a transaction, each with what became of it, in their order. */
async function outcomesOf(transactionId: string): Promise<string[]> {
  const events = await query<{ type: string; outcome: string }>(
    `SELECT type, outcome FROM payment_events
     WHERE provider = 'apple' AND summary #>> '{payment,order_id}' = $1 ORDER BY id`,
    [transactionId],
  );
  return events.map(({ type, outcome }) => `${type} ${outcome}`);
}

/** Returns the coins that a user has. */
async function creditOf(userId: string): Promise<number> {
  const wallet = await queryOne<{ balance: number }>(
    "SELECT balance FROM wallets WHERE user_id = $1 AND asset = 'coins'",
    [userId],
  );
  return wallet!.balance;
}

/** Makes a fake Apple the store of the tests of a `describe`, with a product of 600 coins. */
export function useApple() {
  const service = useService();
  let fake: FakeApple;
  let productId: string;
  before(async () => {
    fake = await FakeApple.start();
    const pack = await buildPackage({ coins: 550, bonus_coins: 50 });
    productId = await buildProduct({ coin_package_id: pack.id });
    configure();
  });
  after(() => configureStores({}));

  const configure = (change: Parameters<typeof configureApple>[1] = {}) => configureApple(fake, change);

  return {
    service,
    configure,
    get fake() {
      return fake;
    },
    get productId() {
      return productId;
    },
    /** Returns a user, and a transaction of theirs at the store. */
    async bought(changes: object = {}) {
      const user = await buildUser();
      return { user, transaction: fake.transaction(productId, { appAccountToken: user.id, ...changes }) };
    },
    async present({ token }: BuiltUser, signed: string, headers: Record<string, string> = {}) {
      const body = { signed_transaction: signed };
      return service.call("post", "/payments/apple", { token, body, headers });
    },
    async presentTransaction(user: BuiltUser, transaction: object) {
      return this.present(user, await fake.sign(transaction));
    },
    tellSigned: (signedPayload: string) => service.call("post", "/payments/webhook/apple", { body: { signedPayload } }),
    async tell(...notice: Parameters<FakeApple["notice"]>) {
      return this.tellSigned(await fake.sign(await fake.notice(...notice)));
    },
    outcomesOf,
    creditOf,
  };
}
