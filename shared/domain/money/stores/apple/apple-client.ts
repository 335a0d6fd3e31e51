import { AppStoreServerAPIClient, type Environment } from "@apple/app-store-server-library";
import { assert } from "#shared/kernel/assert.ts";
import { secondsMs } from "#shared/kernel/clock.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";

export interface AppleKey {
  readonly issuerId: string;
  readonly keyId: string;
  /** PEM. */
  readonly privateKey: string;
}

/** How long one call of Apple's API may take. */
const deadlineMs = secondsMs(10);

type AppleResponse = Awaited<ReturnType<AppStoreServerAPIClient["makeFetchRequest"]>>;

/** Apple's client of its App Store Server API, with deadlines, and at another address if one is given. */
export class AppleClient extends AppStoreServerAPIClient {
  readonly #baseUrl: string | undefined;

  constructor(
    { issuerId, keyId, privateKey }: AppleKey,
    bundleId: string,
    environment: Environment,
    baseUrl: string | undefined,
  ) {
    super(privateKey, keyId, issuerId, bundleId, environment);
    assert(!baseUrl || isSecureAddress(baseUrl), "Apple's token is sent over https, or to this machine");
    this.#baseUrl = baseUrl?.replace(/\/+$/, "");
  }

  protected override async makeFetchRequest(
    path: string,
    query: URLSearchParams,
    method: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): Promise<AppleResponse> {
    const base = this.#baseUrl ?? (this as unknown as { urlBase: string }).urlBase;
    const response = await fetch(`${base}${path}?${query}`, {
      method,
      headers,
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
      redirect: "error",
      signal: AbortSignal.timeout(deadlineMs),
    });
    // What the library uses of it is the same.
    return response as unknown as AppleResponse;
  }
}
