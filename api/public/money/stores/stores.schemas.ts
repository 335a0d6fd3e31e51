import Joi from "joi";
import { type Infer, listOf, object, oneOf, optional } from "#shared/contracts/fields.ts";
import { storeNames } from "#shared/contracts/views.ts";
import { restoredMax } from "#shared/domain/money/stores/restore-purchases.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";

/** The largest proof that is accepted, in characters. Apple's have about 5,000. */
const proofMax = 32_768;
const proof = (example: string) => Joi.string().min(1).max(proofMax).example(example);
const jws = "eyJhbGciOiJFUzI1NiIsIng1YyI6WyJNSUk…";

export const applePurchaseBody = object({
  signed_transaction: proof(jws).description("`jwsRepresentation` of StoreKit's verification result."),
}).meta({ name: "ApplePurchaseBody" });

export const restoreBody = object({
  store: oneOf(...storeNames),
  signed_transactions: optional(listOf(proof(jws)).min(1).max(restoredMax).description("Of the store `apple`.")),
  purchase_tokens: optional(listOf(proof("opaque.AO-J1Oz…")).min(1).max(restoredMax).description("Of `google`.")),
})
  .xor("signed_transactions", "purchase_tokens")
  .example({ store: "apple", signed_transactions: [jws] })
  .meta({ name: "RestorePurchasesBody" });

/** Returns the proofs of the store. @throws VALIDATION_ERROR if they are of the other one */
export function proofsOf({ store, signed_transactions, purchase_tokens }: Infer<typeof restoreBody>): string[] {
  const proofs = store === "apple" ? signed_transactions : purchase_tokens;
  if (proofs) return proofs;
  const field = store === "apple" ? "signed_transactions" : "purchase_tokens";
  throw invalidFields([{ field, text: "{{field}} is required" }]);
}

export const appleNoticeBody = object({ signedPayload: Joi.string().min(1).max(65_000).example(jws) })
  .unknown()
  .meta({ name: "AppleStoreNoticeBody" });
