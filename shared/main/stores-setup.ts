import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { GooglePlaySetup } from "#shared/domain/money/stores/google/google.config.ts";
import type { StoresSetup } from "#shared/domain/money/stores/stores.config.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "#shared/start/config.ts";

/** Returns the setup of the stores that apps buy at, with the certificates that they are trusted by. */
export async function storesSetup({ stores: { apple } }: Pick<Config, "stores">): Promise<StoresSetup> {
  if (!apple) return {};
  const rootCertificates = (await Promise.all(apple.rootCertificates.map(certificatesIn))).flat();
  return { apple: { ...apple, rootCertificates } };
}

/** Returns the setup of Google Play: production refuses purchases of license testers. */
export const googlePlaySetup = ({ payments, environment }: Config): GooglePlaySetup | undefined =>
  payments.google && { ...payments.google, production: environment === "production" };

/** Returns the certificates in a file, as DER. @throws OperatorError */
async function certificatesIn(path: string): Promise<Buffer[]> {
  try {
    const file = await readFile(path);
    const pems = file.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
    return (pems ?? [file]).map((one) => new X509Certificate(one).raw);
  } catch (error) {
    throw new OperatorError(`APPLE_ROOT_CERTIFICATES: ${path} is no certificate: ${(error as Error).message}`);
  }
}
