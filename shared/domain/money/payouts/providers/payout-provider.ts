import type { IncomingHttpHeaders } from "node:http";
import type { PayoutDetails, PayoutProviderName } from "#shared/contracts/views.ts";

/** A payout as sent to a provider. */
export interface PayoutToSend {
  /** Ours: the provider's key of idempotency, and our reference there. */
  readonly id: string;
  readonly kind: "upi" | "bank" | "wallet";
  /** Minor units. */
  readonly net: number;
  readonly currency: string;
  /** The provider's ID of where to, if it has one. */
  readonly account_ref: string | null;
  readonly provider_id: string | null;
}

/** What a provider says of a payout. */
export interface PayoutOutcome {
  readonly providerId: string;
  /** Ours; null if the provider doesn't know it. */
  readonly id: string | null;
  /** `processing`: the money may still move. `returned`: it has not arrived, or has come back. */
  readonly status: "processing" | "settled" | "returned";
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The bank's number of the transfer. */
  readonly reference: string | null;
  readonly failure: string | null;
}

/** The provider has rejected a payout, or where to: it pays nothing. */
export class PayoutRejected extends Error {
  override name = "PayoutRejected";
}

/** Pays out money. Everything that is special about a provider stays behind this interface. */
export interface PayoutProvider {
  readonly name: PayoutProviderName;
  /**
   * Registers where to, and returns the provider's ID of it. Absent: the provider needs no such step. Moves no money,
   * and may be repeated.
   * @throws PayoutRejected, ENGINE_UNAVAILABLE
   */
  register?(payout: PayoutToSend & { readonly userId: string }, details: PayoutDetails): Promise<string>;
  /**
   * Sends a payout, once for each `id`: asking again returns what became of it.
   * @throws PayoutRejected, ENGINE_UNAVAILABLE when it is unknown whether it is sent
   */
  send(payout: PayoutToSend, details: PayoutDetails): Promise<PayoutOutcome>;
  /** Returns a payout as it is now; undefined if the provider has none. @throws ENGINE_UNAVAILABLE */
  find(payout: PayoutToSend): Promise<PayoutOutcome | undefined>;
  /**
   * Reads a webhook. Null: it says nothing of a payout.
   * @throws PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON
   */
  parseWebhook(body: Buffer, headers: IncomingHttpHeaders): PayoutOutcome | null;
}
