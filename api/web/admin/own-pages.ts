import type { ComponentType } from "react";
import type { Permission } from "./api.ts";
import type { OperationId } from "./client.ts";
import type { IconName } from "./parts/icon.tsx";

/** A page that isn't made from the table of the admin API. */
export interface OwnPage {
  /** Below `/admin`, with `:name` for parameters. It replaces a page that is made from the table. */
  readonly path: string;
  /** A key of the texts. */
  readonly title: string;
  /** Its place in the navigation. Without it, other pages link to it. */
  readonly group?: "overview" | "identity" | "live" | "social" | "money" | "catalogue" | "operations";
  readonly icon?: IconName;
  readonly permission: Permission;
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The operations that only this page offers. */
  readonly operations: readonly OperationId[];
}

/** The own pages of the console. */
export const ownPages: readonly OwnPage[] = [
  {
    path: "/",
    title: "start.title",
    group: "overview",
    permission: "dashboard.read",
    load: () => import("./pages/start.tsx"),
    operations: ["getDashboard", "getChart", "searchRecords"],
  },
  {
    path: "/users/:id",
    title: "story.title",
    permission: "users.read",
    load: () => import("./pages/story.tsx"),
    operations: ["getUser", "unlinkUserIdentity", "removeUserSecondFactor"],
  },
  {
    path: "/reports/:id",
    title: "story.reports",
    permission: "reports.read",
    load: () => import("./pages/report.tsx"),
    operations: ["getReport", "resolveReport"],
  },
  {
    path: "/voice-evidence/:id",
    title: "story.reports",
    permission: "reports.read",
    load: () => import("./pages/voice-evidence.tsx"),
    operations: [
      "getVoiceEvidence",
      "requestVoiceEvidence",
      "approveVoiceEvidence",
      "closeVoiceEvidence",
      "listenToVoiceEvidence",
    ],
  },
  {
    path: "/review-queue",
    title: "review.title",
    group: "social",
    permission: "reports.read",
    load: () => import("./pages/review-queue.tsx"),
    operations: ["listReviewQueue", "getReviewFigures"],
  },
  {
    path: "/review-queue/:id",
    title: "review.title",
    permission: "reports.read",
    load: () => import("./pages/review-queue.tsx"),
    operations: ["getQueuedReview", "decideHeldContent"],
  },
  {
    path: "/appeals",
    title: "appeals.title",
    group: "social",
    permission: "appeals.read",
    load: () => import("./pages/appeals.tsx"),
    operations: ["listAppeals", "getAppeal", "decideAppeal"],
  },
  {
    path: "/audit-logs",
    title: "audit.title",
    group: "operations",
    permission: "audit_logs.read",
    load: () => import("./pages/audit.tsx"),
    operations: ["listAuditLogs"],
  },
  {
    path: "/account/second-factor",
    title: "second_factor.title",
    permission: "none",
    load: () => import("./pages/second-factor.tsx"),
    operations: ["enrollSecondFactor", "confirmSecondFactor", "disableSecondFactor"],
  },
  {
    path: "/approvals",
    title: "approvals.title",
    group: "money",
    permission: "users.adjust_balance",
    load: () => import("./pages/approvals.tsx"),
    operations: ["approveAdjustment", "declineAdjustment", "approveMoneyAdjustment", "declineMoneyAdjustment"],
  },
  {
    path: "/earnings/circles/graph",
    title: "circles.title",
    permission: "transactions.read",
    load: () => import("./pages/gift-graph.tsx"),
    operations: ["listGiftGraphs"],
  },
  {
    path: "/notifications/new",
    title: "broadcast.new",
    group: "social",
    permission: "notifications.write",
    load: () => import("./pages/broadcast-new.tsx"),
    operations: ["createBroadcast", "getAudience"],
  },
  {
    path: "/notifications/:id",
    title: "broadcast.title",
    permission: "notifications.read",
    load: () => import("./pages/broadcast.tsx"),
    operations: ["getBroadcast", "stopBroadcast"],
  },
  {
    path: "/catalogue",
    title: "fulfilment.title",
    group: "catalogue",
    permission: "catalogue_orders.read",
    load: () => import("./pages/fulfilment.tsx"),
    operations: [],
  },
  {
    path: "/catalogue/orders/:id",
    title: "order.title",
    permission: "catalogue_orders.read",
    load: () => import("./pages/catalogue-order.tsx"),
    operations: ["getCatalogueOrder", "completeCatalogueOrder", "cancelCatalogueOrder", "retryCatalogueOrder"],
  },
  {
    path: "/catalogue/card-services/:id/codes",
    title: "codes.title",
    permission: "catalogue_codes.write",
    load: () => import("./pages/codes.tsx"),
    operations: ["importCodes"],
  },
  {
    path: "/settings",
    title: "settings.title",
    group: "operations",
    permission: "settings.read",
    load: () => import("./pages/settings.tsx"),
    operations: ["listSettings", "updateSettings"],
  },
];
