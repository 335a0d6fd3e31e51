/**
 * The keys of all advisory locks, each with one purpose. Locks are not stored, but processes of two releases run side
 * by side during a deployment: keep a number as long as its purpose lasts, and never use one for another purpose.
 */
export const locks = {
  /** Applying migrations. Held by a session. */
  migrations: 7_240_031,
  /** A user's presence: `(presence, hashtext(user id))`. */
  presence: 7_240_032,
  /** A user who begins conversations, which are counted: `(conversations, hashtext(user id))`. */
  conversations: 7_240_033,
  /** A user who adds others to groups: `(groupMembers, hashtext(user id))`. */
  groupMembers: 7_240_038,
  /** A user who requests or completes uploads, which are counted: `(uploads, hashtext(user id))`. */
  uploads: 7_240_037,
  /** A user who creates payment orders, which are counted: `(orders, hashtext(user id))`. */
  orders: 7_240_071,
  /** An administrator who adjusts balances, which is added up: `(adjusters, hashtext(admin id))`. */
  adjusters: 7_240_191,
  /** Delivering domain events from the outbox: `(outboxRelay, slot)`. */
  outboxRelay: 7_240_034,
  /** Appending to the event log, until the commit: readers see its positions in order. */
  eventLog: 7_240_039,
  /** Seeding the demo data. */
  demoData: 7_240_035,
  /** Making the demo world. */
  demoWorld: 7_240_036,
  /** A push token that moves between devices: `(pushTokens, hashtext(token))`. */
  pushTokens: 7_240_041,
  /** An email address or number that is registered: `(addresses, hashtext(address))`. */
  addresses: 7_240_061,
  /** A way in that is used or linked for the first time: `(identities, hashtext(provider and subject))`. */
  identities: 7_240_062,
} as const;
