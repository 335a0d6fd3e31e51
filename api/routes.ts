import type { ApiDeps } from "./deps.ts";
import type { Route } from "./http/route.ts";
import { apiKeysRoutes } from "./public/api-keys/api-keys.routes.ts";
import { authRoutes } from "./public/auth/auth.routes.ts";
import { configRoutes } from "./public/config/config.routes.ts";
import { conversationsRoutes } from "./public/conversations/conversations.routes.ts";
import { deletionRoutes } from "./public/deletion/deletion.routes.ts";
import { eventsRoutes } from "./public/events/events.routes.ts";
import { friendsRoutes } from "./public/friends/friends.routes.ts";
import { gamesRoutes } from "./public/games/games.routes.ts";
import { giftsRoutes } from "./public/gifts/gifts.routes.ts";
import { leaderboardsRoutes } from "./public/leaderboards/leaderboards.routes.ts";
import { notificationsRoutes } from "./public/notifications/notifications.routes.ts";
import { paymentsRoutes } from "./public/payments/payments.routes.ts";
import { policiesRoutes } from "./public/policies/policies.routes.ts";
import { postsRoutes } from "./public/posts/posts.routes.ts";
import { reportsRoutes } from "./public/reports/reports.routes.ts";
import { roomsRoutes } from "./public/rooms/rooms.routes.ts";
import { storeRoutes } from "./public/store/store.routes.ts";
import { supportRoutes } from "./public/support/support.routes.ts";
import { usersRoutes } from "./public/users/users.routes.ts";
import { voiceRoutes } from "./public/voice/voice.routes.ts";
import { walletRoutes } from "./public/wallet/wallet.routes.ts";
import { webhooksRoutes } from "./public/webhooks/webhooks.routes.ts";

/** Every operation of the API, feature by feature. */
export function apiRoutes(deps: ApiDeps): Route[] {
  return [
    ...authRoutes(),
    ...usersRoutes(),
    ...apiKeysRoutes(),
    ...webhooksRoutes(),
    ...friendsRoutes(),
    ...reportsRoutes(),
    ...configRoutes(),
    ...policiesRoutes(),
    ...walletRoutes(),
    ...roomsRoutes(deps),
    ...voiceRoutes(deps),
    ...giftsRoutes(deps),
    ...gamesRoutes(deps),
    ...conversationsRoutes(),
    ...paymentsRoutes(),
    ...storeRoutes(),
    ...postsRoutes(),
    ...notificationsRoutes(),
    ...eventsRoutes(),
    ...leaderboardsRoutes(deps),
    ...supportRoutes(),
    ...deletionRoutes(),
  ];
}
