/** What the settings can deny to people of an age band. */
export const ageFeatures = ["gifts", "messages", "posts", "purchases", "rooms"] as const;
export type AgeFeature = (typeof ageFeatures)[number];

/** Age bands of minors, as the laws on app stores draw them. Their settings are named after them. */
export const ageBands = ["under_13", "from_13_to_15", "from_16_to_17"] as const;
export type AgeBand = (typeof ageBands)[number];

/** The ages of each band, in full years: the first, and the first above it. */
export const bandYears: Readonly<Record<AgeBand, readonly [from: number, below: number]>> = {
  under_13: [0, 13],
  from_13_to_15: [13, 16],
  from_16_to_17: [16, 18],
};

/**
 * What the settings can protect people of an age band from: messages from people who aren't their friends, gifts that
 * others send them, and search, where people find them who aren't their friends.
 */
export const ageProtections = ["stranger_messages", "gifts", "search"] as const;
export type AgeProtection = (typeof ageProtections)[number];

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
  return ageBands.find((band) => years < bandYears[band][1]);
}
