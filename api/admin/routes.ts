import { managedRules } from "#shared/domain/base/filter/managed-rules.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { managedPolicyTexts } from "#shared/domain/base/policies/managed-policy-texts.ts";
import { managedStickerPacks, managedStickers } from "#shared/domain/base/stickers/managed-stickers.ts";
import { managedCatalogueCampaigns } from "#shared/domain/catalogue/products/managed-campaigns.ts";
import { managedCardServices, managedCards } from "#shared/domain/catalogue/products/managed-cards.ts";
import { managedCategories } from "#shared/domain/catalogue/products/managed-categories.ts";
import { managedGateways } from "#shared/domain/catalogue/products/managed-gateways.ts";
import { managedServices, managedTopUps } from "#shared/domain/catalogue/products/managed-top-ups.ts";
import { managedAgencies } from "#shared/domain/money/agencies/managed-agencies.ts";
import { managedAgencyPlans } from "#shared/domain/money/agencies/managed-agency-plans.ts";
import { managedGiftCategories, managedGifts } from "#shared/domain/money/gifts/managed-gifts.ts";
import { managedCoupons, managedOffers } from "#shared/domain/money/offers/managed-offers.ts";
import { managedCoinPackages } from "#shared/domain/money/payments/managed-coin-packages.ts";
import { managedPayoutMethods } from "#shared/domain/money/payouts/managed-payout-methods.ts";
import { managedStoreProducts } from "#shared/domain/money/purchases/managed-store-products.ts";
import { managedSellers } from "#shared/domain/money/sellers/managed-sellers.ts";
import { managedSplitPlans } from "#shared/domain/money/splits/managed-split-plans.ts";
import { managedFrames, managedVipPlans } from "#shared/domain/money/store/managed-store.ts";
import { managedCampaigns } from "#shared/domain/social/campaigns/managed-campaigns.ts";
import type { ApiDeps } from "../deps.ts";
import { extensionRecords, extensionRoutes } from "../extensions.ts";
import type { Route } from "../http/route.ts";
import { catalogueBalancesRoutes } from "./catalogue/balances.routes.ts";
import { campaignsRoutes } from "./catalogue/campaigns.routes.ts";
import { codesRoutes } from "./catalogue/codes.routes.ts";
import { catalogueCustomersRoutes } from "./catalogue/customers.routes.ts";
import { catalogueOrdersRoutes } from "./catalogue/orders.routes.ts";
import { reviewsRoutes } from "./catalogue/reviews.routes.ts";
import { kycRoutes } from "./identity/kyc/kyc.routes.ts";
import { sanctionsRoutes } from "./identity/sanctions/sanctions.routes.ts";
import { usersRoutes } from "./identity/users/users.routes.ts";
import { roomsRoutes } from "./live/rooms/rooms.routes.ts";
import { managedRoutes } from "./managed-routes.ts";
import { adminAgenciesRoutes } from "./money/agencies/agencies.routes.ts";
import { earningsRoutes } from "./money/earnings/earnings.routes.ts";
import { offersRoutes } from "./money/offers/offers.routes.ts";
import { ordersRoutes } from "./money/orders/orders.routes.ts";
import { purchaseLimitsRoutes } from "./money/orders/purchase-limits.routes.ts";
import { payoutsRoutes } from "./money/payouts/payouts.routes.ts";
import { runsRoutes } from "./money/runs/runs.routes.ts";
import { sellersRoutes } from "./money/sellers/sellers.routes.ts";
import { statementsRoutes } from "./money/statements/statements.routes.ts";
import { transactionsRoutes } from "./money/transactions/transactions.routes.ts";
import { accessRoutes } from "./operations/access/access.routes.ts";
import { adjustmentsRoutes } from "./operations/adjustments/adjustments.routes.ts";
import { adminsRoutes } from "./operations/admins/admins.routes.ts";
import { auditLogRoutes } from "./operations/audit-logs/audit-logs.routes.ts";
import { eventsRoutes } from "./operations/events/events.routes.ts";
import { hooksRoutes } from "./operations/hooks/hooks.routes.ts";
import { adminMediaRoutes } from "./operations/media/media.routes.ts";
import { notificationsRoutes } from "./operations/notifications/notifications.routes.ts";
import { operationsRoutes } from "./operations/operations/operations.routes.ts";
import { reportsRoutes } from "./operations/reports/reports.routes.ts";
import { reviewQueueRoutes } from "./operations/review-queue/review-queue.routes.ts";
import { rulesRoutes } from "./operations/rules/rules.routes.ts";
import { searchRoutes } from "./operations/search/search.routes.ts";
import { serverKeysRoutes } from "./operations/server-keys/server-keys.routes.ts";
import { settingsRoutes } from "./operations/settings/settings.routes.ts";
import { statisticsRoutes } from "./operations/statistics/statistics.routes.ts";
import { ticketsRoutes } from "./operations/tickets/tickets.routes.ts";
import { voiceEvidenceRoutes } from "./operations/voice-evidence/voice-evidence.routes.ts";
import { postsRoutes } from "./social/posts/posts.routes.ts";

/** The managed resources with the tags of their operations. */
export const managedResources: readonly (readonly [ManagedResource, tag: string])[] = [
  [managedGifts, "Gifts"],
  [managedGiftCategories, "Gifts"],
  [managedSplitPlans, "Gifts"],
  [managedAgencies, "Agencies"],
  [managedAgencyPlans, "Agencies"],
  [managedPayoutMethods, "Payouts"],
  [managedSellers, "Sellers"],
  [managedRules, "Rules"],
  [managedPolicyTexts, "Rules"],
  [managedStickerPacks, "Stickers"],
  [managedStickers, "Stickers"],
  [managedCoinPackages, "Store"],
  [managedStoreProducts, "Store"],
  [managedOffers, "Store"],
  [managedCoupons, "Store"],
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
  ...extensionRecords(),
];

/** Every operation of the admin API, resource by resource. */
export const adminRoutes = (deps: ApiDeps): Route[] => [
  ...accessRoutes(),
  ...adminsRoutes(),
  ...usersRoutes(),
  ...kycRoutes(),
  ...roomsRoutes(deps),
  ...reportsRoutes(),
  ...voiceEvidenceRoutes(),
  ...postsRoutes(),
  ...adjustmentsRoutes(),
  ...payoutsRoutes(),
  ...sellersRoutes(),
  ...statementsRoutes(),
  ...ordersRoutes(),
  ...adminAgenciesRoutes(),
  ...runsRoutes(),
  ...offersRoutes(),
  ...purchaseLimitsRoutes(),
  ...catalogueCustomersRoutes(),
  ...catalogueOrdersRoutes(),
  ...catalogueBalancesRoutes(),
  ...codesRoutes(),
  ...transactionsRoutes(),
  ...earningsRoutes(),
  ...settingsRoutes(),
  ...ticketsRoutes(),
  ...notificationsRoutes(),
  ...auditLogRoutes(),
  ...statisticsRoutes(),
  ...searchRoutes(),
  ...operationsRoutes(),
  ...eventsRoutes(),
  ...hooksRoutes(),
  ...serverKeysRoutes(),
  ...campaignsRoutes(),
  ...adminMediaRoutes(),
  ...reviewQueueRoutes(),
  ...rulesRoutes(),
  ...sanctionsRoutes(),
  ...reviewsRoutes(),
  ...managedResources.flatMap(([managed, tag]) => managedRoutes(managed, tag)),
  ...extensionRoutes("administrators"),
];
