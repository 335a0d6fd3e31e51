import { managedCampaigns } from "#shared/domain/campaigns/managed-campaigns.ts";
import { managedCatalogueCampaigns } from "#shared/domain/catalogue/managed-campaigns.ts";
import { managedCardServices, managedCards } from "#shared/domain/catalogue/managed-cards.ts";
import { managedCategories } from "#shared/domain/catalogue/managed-categories.ts";
import { managedGateways } from "#shared/domain/catalogue/managed-gateways.ts";
import { managedServices, managedTopUps } from "#shared/domain/catalogue/managed-top-ups.ts";
import { managedGiftCategories, managedGifts } from "#shared/domain/gifts/managed-gifts.ts";
import type { ManagedResource } from "#shared/domain/managed/managed-resource.ts";
import { managedCoinPackages } from "#shared/domain/payments/managed-coin-packages.ts";
import { managedFrames, managedVipPlans } from "#shared/domain/store/managed-store.ts";
import type { ApiDeps } from "../deps.ts";
import type { Route } from "../http/route.ts";
import { accessRoutes } from "./access/access.routes.ts";
import { adjustmentsRoutes } from "./adjustments/adjustments.routes.ts";
import { adminsRoutes } from "./admins/admins.routes.ts";
import { auditLogRoutes } from "./audit-logs/audit-logs.routes.ts";
import { catalogueBalancesRoutes } from "./catalogue/balances.routes.ts";
import { campaignsRoutes } from "./catalogue/campaigns.routes.ts";
import { codesRoutes } from "./catalogue/codes.routes.ts";
import { catalogueOrdersRoutes } from "./catalogue/orders.routes.ts";
import { reviewsRoutes } from "./catalogue/reviews.routes.ts";
import { managedRoutes } from "./managed-routes.ts";
import { notificationsRoutes } from "./notifications/notifications.routes.ts";
import { operationsRoutes } from "./operations/operations.routes.ts";
import { ordersRoutes } from "./orders/orders.routes.ts";
import { postsRoutes } from "./posts/posts.routes.ts";
import { reportsRoutes } from "./reports/reports.routes.ts";
import { roomsRoutes } from "./rooms/rooms.routes.ts";
import { searchRoutes } from "./search/search.routes.ts";
import { settingsRoutes } from "./settings/settings.routes.ts";
import { statisticsRoutes } from "./statistics/statistics.routes.ts";
import { ticketsRoutes } from "./tickets/tickets.routes.ts";
import { transactionsRoutes } from "./transactions/transactions.routes.ts";
import { usersRoutes } from "./users/users.routes.ts";

/** The managed resources with the tags of their operations. */
export const managedResources: readonly (readonly [ManagedResource, tag: string])[] = [
  [managedGifts, "Gifts"],
  [managedGiftCategories, "Gifts"],
  [managedCoinPackages, "Store"],
  [managedFrames, "Store"],
  [managedVipPlans, "Store"],
  [managedCampaigns, "Events"],
  [managedCategories, "Catalogue"],
  [managedTopUps, "Catalogue"],
  [managedServices, "Catalogue"],
  [managedCatalogueCampaigns, "Catalogue"],
  [managedCards, "Catalogue"],
  [managedCardServices, "Catalogue"],
  [managedGateways, "Catalogue"],
];

/** Every operation of the admin API, resource by resource. */
export const adminRoutes = (deps: ApiDeps): Route[] => [
  ...accessRoutes(),
  ...adminsRoutes(),
  ...usersRoutes(),
  ...roomsRoutes(deps),
  ...reportsRoutes(),
  ...postsRoutes(),
  ...adjustmentsRoutes(),
  ...ordersRoutes(),
  ...catalogueOrdersRoutes(),
  ...catalogueBalancesRoutes(),
  ...codesRoutes(),
  ...transactionsRoutes(),
  ...settingsRoutes(),
  ...ticketsRoutes(),
  ...notificationsRoutes(),
  ...auditLogRoutes(),
  ...statisticsRoutes(),
  ...searchRoutes(),
  ...operationsRoutes(),
  ...campaignsRoutes(),
  ...reviewsRoutes(),
  ...managedResources.flatMap(([managed, tag]) => managedRoutes(managed, tag)),
];
