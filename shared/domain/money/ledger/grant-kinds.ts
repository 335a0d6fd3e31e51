/** The kinds of coins that the house gives without a sale, and the type of their ledger entries. */
export const grantEntryTypes = {
  signup: "signup_bonus",
  demo: "admin_adjustment",
  adjustment: "admin_adjustment",
} as const;

export type GrantKind = keyof typeof grantEntryTypes;
