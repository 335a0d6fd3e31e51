/**
 * What clients see. One interface and one schema each; the two check each other at compile time. A schema with a name
 * (`meta`) is a component of the OpenAPI document.
 */
export * from "./campaign-views.ts";
export * from "./coin-views.ts";
export * from "./conversation-views.ts";
export * from "./game-views.ts";
export * from "./leaderboard-views.ts";
export * from "./notification-views.ts";
export * from "./payment-views.ts";
export * from "./post-views.ts";
export * from "./relation-views.ts";
export * from "./report-views.ts";
export * from "./room-views.ts";
export * from "./session-views.ts";
export * from "./store-views.ts";
export * from "./ticket-views.ts";
export * from "./user-views.ts";
