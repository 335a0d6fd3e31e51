import type { ApiDeps } from "./deps.ts";
import { extensionRoutes } from "./extensions.ts";
import type { Route } from "./http/route.ts";
import { customersRoutes } from "./public/catalogue/customers/customers.routes.ts";
import { webhooksRoutes } from "./public/catalogue/webhooks/webhooks.routes.ts";
import { apiKeysRoutes } from "./public/identity/api-keys/api-keys.routes.ts";
import { authRoutes } from "./public/identity/auth/auth.routes.ts";
import { secondFactorRoutes } from "./public/identity/auth/second-factor.routes.ts";
import { signInRoutes } from "./public/identity/auth/sign-in.routes.ts";
import { friendsRoutes } from "./public/identity/friends/friends.routes.ts";
import { kycRoutes } from "./public/identity/kyc/kyc.routes.ts";
import { sanctionsRoutes } from "./public/identity/sanctions/sanctions.routes.ts";
import { usersRoutes } from "./public/identity/users/users.routes.ts";
import { gamesRoutes } from "./public/live/games/games.routes.ts";
import { roomsRoutes } from "./public/live/rooms/rooms.routes.ts";
import { voiceRoutes } from "./public/live/voice/voice.routes.ts";
import { agenciesRoutes } from "./public/money/agencies/agencies.routes.ts";
import { earningsRoutes } from "./public/money/earnings/earnings.routes.ts";
import { giftsRoutes } from "./public/money/gifts/gifts.routes.ts";
import { paymentsRoutes } from "./public/money/payments/payments.routes.ts";
import { payoutsRoutes } from "./public/money/payouts/payouts.routes.ts";
import { sellersRoutes } from "./public/money/sellers/sellers.routes.ts";
import { storeRoutes } from "./public/money/store/store.routes.ts";
import { storesRoutes } from "./public/money/stores/stores.routes.ts";
import { subscriptionsRoutes } from "./public/money/subscriptions/subscriptions.routes.ts";
import { walletRoutes } from "./public/money/wallet/wallet.routes.ts";
import { configRoutes } from "./public/operations/config/config.routes.ts";
import { deletionRoutes } from "./public/operations/deletion/deletion.routes.ts";
import { exportRoutes } from "./public/operations/exports/exports.routes.ts";
import { mediaRoutes } from "./public/operations/media/media.routes.ts";
import { policiesRoutes } from "./public/operations/policies/policies.routes.ts";
import { reportsRoutes } from "./public/operations/reports/reports.routes.ts";
import { statementRoutes } from "./public/operations/statements/statements.routes.ts";
import { supportRoutes } from "./public/operations/support/support.routes.ts";
import { conversationsRoutes } from "./public/social/conversations/conversations.routes.ts";
import { eventsRoutes } from "./public/social/events/events.routes.ts";
import { leaderboardsRoutes } from "./public/social/leaderboards/leaderboards.routes.ts";
import { notificationsRoutes } from "./public/social/notifications/notifications.routes.ts";
import { postsRoutes } from "./public/social/posts/posts.routes.ts";

/** Every operation of the API, feature by feature. */
export function apiRoutes(deps: ApiDeps): Route[] {
  return [
    ...authRoutes(),
    ...signInRoutes(),
    ...secondFactorRoutes(),
    ...usersRoutes(),
    ...apiKeysRoutes(),
    ...customersRoutes(),
    ...webhooksRoutes(),
    ...friendsRoutes(),
    ...reportsRoutes(),
    ...configRoutes(),
    ...policiesRoutes(),
    ...walletRoutes(),
    ...earningsRoutes(),
    ...agenciesRoutes(),
    ...kycRoutes(),
    ...payoutsRoutes(),
    ...sellersRoutes(),
    ...roomsRoutes(deps),
    ...voiceRoutes(deps),
    ...giftsRoutes(deps),
    ...gamesRoutes(deps),
    ...conversationsRoutes(),
    ...storesRoutes(),
    ...paymentsRoutes(),
    ...storeRoutes(),
    ...subscriptionsRoutes(),
    ...postsRoutes(),
    ...notificationsRoutes(),
    ...eventsRoutes(),
    ...leaderboardsRoutes(deps),
    ...supportRoutes(),
    ...deletionRoutes(),
    ...exportRoutes(),
    ...statementRoutes(),
    ...sanctionsRoutes(),
    ...mediaRoutes(),
    ...extensionRoutes("users"),
  ];
}
