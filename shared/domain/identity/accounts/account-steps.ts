import type { Tx } from "#shared/db/transaction.ts";
import { assert } from "#shared/kernel/assert.ts";

/** What may earn a bonus: a registration, or the address that an account has just verified. */
export type Occasion =
  | { readonly when: "registered"; readonly ip: string }
  | { readonly when: "verified"; readonly ip: string; readonly address: string };

/** What other contexts do in the transactions of accounts. Each is a step: it throws to undo the transaction. */
export interface AccountSteps {
  /** Opens what each account has. */
  readonly opened: (tx: Tx, userId: string) => Promise<void>;
  /** Credits what a registration or a verified address earns. */
  readonly earned: (tx: Tx, userId: string, occasion: Occasion) => Promise<void>;
}

let configured: AccountSteps | undefined;

/** Sets the steps. Called once at start, before any account is created. */
export function configureAccounts(steps: AccountSteps): void {
  configured = steps;
}

/** Returns the steps of other contexts. */
export function accountSteps(): AccountSteps {
  assert(configured, "accounts are configured");
  return configured;
}
