import type { ProviderName } from "#shared/contracts/views.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { nothingForSale } from "./payments.errors.ts";
import type { PaymentProvider } from "./providers/provider.ts";
import { makeRazorpay } from "./providers/razorpay.ts";
import type { RazorpayCredentials } from "./providers/razorpay-client.ts";
import { makeSandbox, type Sandbox, type SandboxSecrets } from "./providers/sandbox.ts";

export interface PaymentsSetup {
  /** Who takes the money of new orders. Absent: nothing can be bought. */
  readonly provider?: ProviderName;
  /** With them Razorpay's webhooks are taken, and its orders settled, also while another provider takes new orders. */
  readonly razorpay?: RazorpayCredentials;
  /** Counts only when the sandbox is chosen: it gives coins for nothing, so it is never there by the way. */
  readonly sandbox?: SandboxSecrets;
  /** How long one answer of a provider may take, milliseconds; for tests. */
  readonly timeoutMs?: number;
}

let chosen: ProviderName | undefined;
let providers: ReadonlyMap<string, PaymentProvider> = new Map();
let sandboxHere: Sandbox | undefined;

/** Says who takes money, once, at the start. */
export function configurePayments({ provider, razorpay, sandbox, timeoutMs }: PaymentsSetup): void {
  sandboxHere = provider === "sandbox" && sandbox ? makeSandbox(sandbox) : undefined;
  const made = [...(razorpay ? [makeRazorpay(razorpay, timeoutMs)] : []), ...(sandboxHere ? [sandboxHere] : [])];
  chosen = provider;
  providers = new Map(made.map((one) => [one.name, one]));
}

/**
 * Who takes the money of new orders.
 * @throws ENGINE_UNAVAILABLE when nobody does
 */
export function chosenProvider(): PaymentProvider {
  const provider = chosen && providers.get(chosen);
  if (!provider) throw nothingForSale();
  return provider;
}

/**
 * The provider of an order, or of a webhook's address.
 * @throws NOT_FOUND when it is not configured
 */
export function providerNamed(name: string): PaymentProvider {
  const provider = providers.get(name);
  if (!provider) throw new DomainError("NOT_FOUND", "There is no such payment provider.");
  return provider;
}

/** The sandbox with what it can do on a provider's side. @throws NOT_FOUND where it is not chosen */
export function sandbox(): Sandbox {
  if (!sandboxHere) throw new DomainError("NOT_FOUND", "There is no sandbox here.");
  return sandboxHere;
}
