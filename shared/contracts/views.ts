/**
 * What clients see: schemas, and the types inferred from them. A schema with a name (`meta`) is a component of the
 * documents.
 */
export * from "./views/account-views.ts";
export * from "./views/admin-ledger-views.ts";
export * from "./views/admin-order-views.ts";
export * from "./views/admin-user-views.ts";
export * from "./views/admin-views.ts";
export * from "./views/api-key-views.ts";
export * from "./views/audit-views.ts";
export * from "./views/campaign-views.ts";
export * from "./views/coin-views.ts";
export * from "./views/conversation-views.ts";
export * from "./views/game-views.ts";
export * from "./views/health-views.ts";
export * from "./views/held-views.ts";
export * from "./views/leaderboard-views.ts";
export * from "./views/managed-report-views.ts";
export * from "./views/managed-room-views.ts";
export * from "./views/media-views.ts";
export * from "./views/message-views.ts";
export * from "./views/moderation-views.ts";
export * from "./views/notification-views.ts";
export * from "./views/offer-views.ts";
export * from "./views/payment-views.ts";
export * from "./views/policy-views.ts";
export * from "./views/post-views.ts";
export * from "./views/relation-views.ts";
export * from "./views/removal-views.ts";
export * from "./views/report-views.ts";
export * from "./views/review-queue-views.ts";
export * from "./views/room-views.ts";
export * from "./views/rule-views.ts";
export * from "./views/sanction-views.ts";
export * from "./views/search-views.ts";
export * from "./views/second-factor-views.ts";
export * from "./views/session-views.ts";
export * from "./views/setting-views.ts";
export * from "./views/statistics-views.ts";
export * from "./views/sticker-views.ts";
export * from "./views/store-views.ts";
export * from "./views/subscription-views.ts";
export * from "./views/terms-views.ts";
export * from "./views/ticket-views.ts";
export * from "./views/user-views.ts";
export * from "./views/voice-evidence-views.ts";
export * from "./views/webhook-views.ts";
