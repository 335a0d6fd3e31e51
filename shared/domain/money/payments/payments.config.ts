import type { ProviderName } from "#shared/contracts/views.ts";
import { DomainError, type FieldText } from "#shared/kernel/domain-error.ts";
import { nothingForSale } from "./payments.errors.ts";
import type { PaymentProvider, PriceLimits, ProviderHistory } from "./providers/provider.ts";
import { makeRazorpay } from "./providers/razorpay.ts";
import type { RazorpayCredentials } from "./providers/razorpay-client.ts";
import { makeSandbox, type Sandbox, type SandboxSecrets } from "./providers/sandbox.ts";

export interface PaymentsSetup {
  /** The provider of new orders. If absent, nothing can be bought. */
  readonly provider?: ProviderName;
  /**
   * With these, Razorpay's webhooks are accepted and its orders settled, even while new orders go to another provider.
   */
  readonly razorpay?: RazorpayCredentials;
  /** Stripe, made by `providers/stripe.ts`, which is loaded only if it is configured. */
  readonly stripe?: PaymentProvider;
  /** Used only when the sandbox is chosen: it gives coins for nothing, so it must never be there by accident. */
  readonly sandbox?: SandboxSecrets;
  /** The books of app stores, by name: they are reconciled, too, but sell without orders of ours. */
  readonly histories?: Readonly<Record<string, ProviderHistory>>;
  /** Timeout of one response of a provider, milliseconds; for tests. */
  readonly timeoutMs?: number;
}

let chosen: ProviderName | undefined;
let providers: ReadonlyMap<string, PaymentProvider> = new Map();
let stores: readonly [string, ProviderHistory][] = [];
let sandboxHere: Sandbox | undefined;

/** Configures the payment providers; called at the start. */
export function configurePayments({
  provider,
  razorpay,
  stripe,
  sandbox,
  histories = {},
  timeoutMs,
}: PaymentsSetup): void {
  sandboxHere = provider === "sandbox" && sandbox ? makeSandbox(sandbox) : undefined;
  const all = [razorpay && makeRazorpay(razorpay, timeoutMs), stripe, sandboxHere].filter((one) => one !== undefined);
  chosen = provider;
  stores = Object.entries(histories);
  providers = new Map(all.map((one) => [one.name, one]));
}

/**
 * Returns the provider of new orders.
 * @throws ENGINE_UNAVAILABLE when there is none
 */
export function chosenProvider(): PaymentProvider {
  const provider = chosen && providers.get(chosen);
  if (!provider) throw nothingForSale();
  return provider;
}

/**
 * Returns what the provider of new orders doesn't accept of a price in minor units. Without one, everything is fine.
 */
export function wrongPriceFor(values: Readonly<Record<string, unknown>>): FieldText | undefined {
  const provider = chosen && providers.get(chosen);
  if (!provider) return undefined;
  const currency = String(values.currency);
  const { min, step } = provider.limitsIn(currency);
  const rule = { field: "price", values: { min, step, currency, provider: provider.name } };
  if (Number(values.price) < min)
    return { ...rule, text: "{{field}} must be at least {{min}} minor units of {{currency}} for {{provider}}" };
  if (Number(values.price) % step !== 0)
    return { ...rule, text: "{{field}} must be a multiple of {{step}} minor units of {{currency}} for {{provider}}" };
  return undefined;
}

/** Returns the prices that the provider of new orders accepts in a currency; null without one. */
export const stepsIn = (currency: string): PriceLimits | null =>
  (chosen && providers.get(chosen)?.limitsIn(currency)) ?? null;

export const findProvider = (name: string): PaymentProvider | undefined => providers.get(name);

/** Returns the books of each provider that is configured, by its name. */
export const historiesNow = (): readonly [string, ProviderHistory][] => [
  ...[...providers.values()].map(({ name, history }): [string, ProviderHistory] => [name, history]),
  ...stores,
];

/**
 * Returns the provider of an order or of a webhook.
 * @throws NOT_FOUND when it is not configured
 */
export function providerNamed(name: string): PaymentProvider {
  const provider = findProvider(name);
  if (!provider) throw new DomainError("NOT_FOUND", "This payment provider isn't available.");
  return provider;
}

/** Returns the sandbox with its provider's side. @throws NOT_FOUND when it isn't chosen */
export function sandbox(): Sandbox {
  if (!sandboxHere) throw new DomainError("NOT_FOUND", "The sandbox isn't enabled.");
  return sandboxHere;
}
