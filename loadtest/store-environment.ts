import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeStores } from "#shared/testing/fakes/purchases-at-stores.ts";

/** Whose tokens Google's notices carry. */
const googleIssuer = "https://accounts.google.com";

/** Starts the fakes of all stores for processes of the service; see `storeEnvironment`. */
export const startStores = (): Promise<FakeStores> => FakeStores.start(googleIssuer);

/** Returns the environment of a process that sells at these stores, with a file in the folder. */
export async function storeEnvironment(
  { apple, google, stripe, sender, keysUrl }: FakeStores,
  folder: string,
): Promise<Record<string, string>> {
  const root = join(folder, "apple-root.cer");
  await writeFile(root, apple.rootCertificate);
  // Nothing sets who Google's issuer is: its address leads to the fake.
  const toFake = `const real = fetch; globalThis.fetch = (url, init) => real(String(url).startsWith("${googleIssuer}/") ? String(url).replace("${googleIssuer}", "${keysUrl}") : url, init);`;
  return {
    APPLE_BUNDLE_ID: apple.bundleId,
    APPLE_ROOT_CERTIFICATES: root,
    GOOGLE_PLAY_PACKAGE: google.packageName,
    GOOGLE_SERVICE_ACCOUNT: JSON.stringify(google.tokens.keyFile("loadtest")),
    GOOGLE_PLAY_BASE_URL: google.baseUrl,
    GOOGLE_PUBSUB_AUDIENCE: sender.audience,
    GOOGLE_PUBSUB_SERVICE_ACCOUNT: sender.email,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_BASE_URL: stripe.credentials.baseUrl,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(toFake)}`,
  };
}
