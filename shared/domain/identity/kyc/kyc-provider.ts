import type { IncomingHttpHeaders } from "node:http";
import Joi from "joi";
import type { OpenedKyc } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isSigned, sign } from "#shared/kernel/hmac.ts";

/** What a provider has found: the result, and nothing of the documents. */
export interface KycResult {
  /** The provider's ID of the case. */
  readonly reference: string;
  readonly status: "approved" | "rejected";
  /** 0 if rejected. */
  readonly level: number;
  readonly expires_at: string | null;
  /** When the provider has decided, ISO 8601: of several results, the last holds. */
  readonly decided_at: string;
}

/** Finds out who users are. Everything that is special about a provider stays behind this interface. */
export interface KycProvider {
  readonly name: string;
  /** Opens a case, once for each `id`: asking again returns the same. @throws ENGINE_UNAVAILABLE */
  open(id: string): Promise<OpenedKyc>;
  /**
   * Reads a webhook. Null: it has no result.
   * @throws PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON
   */
  parseWebhook(body: Buffer, headers: IncomingHttpHeaders): KycResult | null;
}

const resultSchema = Joi.object<KycResult>({
  reference: Joi.string().max(100).required(),
  status: Joi.valid("approved", "rejected").required(),
  level: Joi.number()
    .integer()
    .when("status", { is: "approved", otherwise: Joi.valid(0) })
    .min(0)
    .max(9)
    .required(),
  expires_at: Joi.string().isoDate().allow(null).required(),
  decided_at: Joi.string().isoDate().required(),
}).required();

/**
 * Our own provider: its cases have no page, and its results are whatever is signed with its secret. The body of a
 * webhook is a `KycResult`.
 */
export const makeSandboxKyc = (secrets: readonly string[]): KycProvider & { signWebhook(body: string): string } => ({
  name: "sandbox",
  open: async (id) => ({ reference: `kyc_sbx${id.replaceAll("-", "")}`, url: null }),
  parseWebhook: (body, headers) => {
    const signature = headers["x-sandbox-signature"];
    if (typeof signature !== "string" || !isSigned(secrets, body, signature))
      throw new DomainError("PAYMENT_SIGNATURE_INVALID");
    let parsed: unknown;
    try {
      parsed = JSON.parse(body.toString("utf8"));
    } catch {
      throw new DomainError("MALFORMED_JSON");
    }
    const { error, value } = resultSchema.validate(parsed, { convert: false, stripUnknown: true });
    return error ? null : value!;
  },
  signWebhook: (body) => sign(secrets[0]!, body),
});

let chosen: KycProvider | undefined;

/** Sets the provider; called at the start. If absent, only administrators decide. */
export function configureKyc(provider: KycProvider | undefined): void {
  chosen = provider;
}

/** Returns the provider. @throws ENGINE_UNAVAILABLE when there is none */
export function kycProvider(): KycProvider {
  if (!chosen) throw new DomainError("ENGINE_UNAVAILABLE", "Identity checks aren't available here.");
  return chosen;
}

/** Returns the provider of a webhook. @throws NOT_FOUND when it isn't configured */
export function kycProviderNamed(name: string): KycProvider {
  if (chosen?.name !== name) throw new DomainError("NOT_FOUND");
  return chosen;
}
