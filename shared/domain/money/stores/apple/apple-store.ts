import {
  Environment,
  type JWSRenewalInfoDecodedPayload,
  type JWSTransactionDecodedPayload,
  type ResponseBodyV2DecodedPayload,
  SignedDataVerifier,
  VerificationException,
  VerificationStatus,
} from "@apple/app-store-server-library";
import { providerUnavailable } from "#shared/domain/money/payments/providers/provider.ts";
import { receiptInvalid } from "#shared/domain/money/purchases/purchases.errors.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { within } from "#shared/kernel/within.ts";
import { AppleClient, type AppleKey } from "./apple-client.ts";

export interface AppleStoreSetup {
  readonly environment: "production" | "sandbox";
  readonly bundleId: string;
  /** The app's number in the store; production requires it. */
  readonly appId?: number;
  /** DER. What Apple signs is only trusted under one of these. */
  readonly rootCertificates: readonly Buffer[];
  /** Whether Apple is asked whether it has revoked its certificates. */
  readonly onlineChecks: boolean;
  /** For calls of Apple's API. */
  readonly key?: AppleKey;
  readonly baseUrl?: string;
}

/** How long the questions about certificates may take. */
const onlineChecksMs = 10_000;
/** How far Apple's clock may be ahead of ours. */
const skewMs = minutesMs(5);

/**
 * What Apple signs for one app in one environment: transactions of the store, and notices. A signature is only as good
 * as its chain of certificates, which must end at one of the roots.
 */
export class AppleStore {
  readonly environment: AppleStoreSetup["environment"];
  readonly client: AppleClient | undefined;
  readonly #verifier: SignedDataVerifier;

  constructor({ environment, bundleId, appId, rootCertificates, onlineChecks, key, baseUrl }: AppleStoreSetup) {
    this.environment = environment;
    const at = environment === "production" ? Environment.PRODUCTION : Environment.SANDBOX;
    this.#verifier = new SignedDataVerifier([...rootCertificates], onlineChecks, at, bundleId, appId);
    this.client = key && new AppleClient(key, bundleId, at, baseUrl);
  }

  /** @throws PAYMENT_SIGNATURE_INVALID, ENGINE_UNAVAILABLE */
  transaction(signed: string): Promise<JWSTransactionDecodedPayload & Signed> {
    return this.#verified(this.#verifier.verifyAndDecodeTransaction(signed));
  }

  /** @throws PAYMENT_SIGNATURE_INVALID, ENGINE_UNAVAILABLE */
  renewal(signed: string): Promise<JWSRenewalInfoDecodedPayload & Signed> {
    return this.#verified(this.#verifier.verifyAndDecodeRenewalInfo(signed));
  }

  /** @throws PAYMENT_SIGNATURE_INVALID, ENGINE_UNAVAILABLE */
  notice(signed: string): Promise<ResponseBodyV2DecodedPayload & Signed> {
    return this.#verified(this.#verifier.verifyAndDecodeNotification(signed));
  }

  async #verified<T extends { signedDate?: number }>(verifying: Promise<T>): Promise<T & Signed> {
    const payload = await within(onlineChecksMs, verifying, "Apple doesn't respond about its certificates").catch(
      (error: unknown) => {
        const isWrong =
          error instanceof VerificationException && error.status !== VerificationStatus.RETRYABLE_VERIFICATION_FAILURE;
        logger[isWrong ? "info" : "warn"]({ err: error }, "what should be signed by Apple could not be verified");
        throw isWrong ? receiptInvalid() : providerUnavailable();
      },
    );
    const { signedDate } = payload;
    if (!Number.isSafeInteger(signedDate) || signedDate! > clock.now() + skewMs) throw receiptInvalid();
    return payload as T & Signed;
  }
}

/** When Apple signed it, Unix milliseconds. */
interface Signed {
  readonly signedDate: number;
}
