/** What the settings can deny to people of an age band. */
export const ageFeatures = ["gifts", "messages", "posts", "purchases", "rooms"] as const;
export type AgeFeature = (typeof ageFeatures)[number];

/** Age bands of minors, as the laws on app stores draw them. Their settings are named after them. */
export const ageBands = ["under_13", "from_13_to_15", "from_16_to_17"] as const;
export type AgeBand = (typeof ageBands)[number];

/** The feature that an operation or an event belongs to. What isn't here, everyone may do. */
export const featureOf: ReadonlyMap<string, AgeFeature> = new Map<string, AgeFeature>([
  ["sendGift", "gifts"],
  ["openConversation", "messages"],
  ["sendDirectMessage", "messages"],
  ["editDirectMessage", "messages"],
  ["addDirectReaction", "messages"],
  ["changeGroup", "messages"],
  ["addGroupMembers", "messages"],
  ["createGroupInvite", "messages"],
  ["joinGroup", "messages"],
  ["typing:dm", "messages"],
  ["createPost", "posts"],
  ["addComment", "posts"],
  ["purchaseFrame", "purchases"],
  ["purchaseVipPlan", "purchases"],
  ["createCoinOrder", "purchases"],
  ["verifyApplePurchase", "purchases"],
  ["presentGooglePurchase", "purchases"],
  ["restorePurchases", "purchases"],
  ["applyAsCatalogueCustomer", "purchases"],
  ["createApiKey", "purchases"],
  ["makeOrder", "purchases"],
  ["orderCard", "purchases"],
  ["orderDeposit", "purchases"],
  ["createRoom", "rooms"],
]);

/**
 * What a user can do while their account is frozen, besides logging in: see and change what freezes it, leave, export
 * their data, and delete their account.
 */
export const openWhileFrozen: ReadonlySet<string> = new Set([
  "getMe",
  "getCurrentUser",
  "setAgeSignal",
  "getTerms",
  "acceptTerms",
  "listLoginSessions",
  "endLoginSession",
  "requestAccountDeletion",
  "requestDataExport",
  "getDataExport",
]);

/** Returns the band of an age in full years; undefined for adults. */
export function bandOf(years: number): AgeBand | undefined {
  if (years < 13) return "under_13";
  if (years < 16) return "from_13_to_15";
  return years < 18 ? "from_16_to_17" : undefined;
}
