import { pageOf } from "#shared/contracts/fields.ts";
import { notification, unreadCount } from "#shared/contracts/views.ts";
import { markAllNotificationsRead, markNotificationRead } from "#shared/domain/social/notifications/mark-read.ts";
import { countUnread, listNotifications } from "#shared/domain/social/notifications/notifications.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { notificationParams, notificationsQuery } from "./notifications.schemas.ts";

const route = routeOf("Notifications", "user");

export const notificationsRoutes = (): Route[] => [
  route({
    id: "listNotifications",
    method: "get",
    path: "/notifications",
    summary: "List your notifications",
    description:
      "Most recently updated first. Depending on your settings, you are notified of follows, friend requests, gifts, likes, comments, and new rooms of users you follow. You are always notified of your turn in a game. While a notification is unread, similar events are added to it: it keeps its ID and moves to the top. Follows, friend requests, likes, and comments that are taken back disappear from it; doing the same again does not notify you again. Notifications are kept for 90 days.",
    query: notificationsQuery,
    response: pageOf(notification),
    handler: async ({ caller, query, language }) => listNotifications(caller.userId, query, await language()),
  }),
  route({
    id: "getUnreadNotificationCount",
    method: "get",
    path: "/notifications/unread-count",
    summary: "Count unread notifications",
    description: "Cheaper than a list, for a badge.",
    response: unreadCount,
    extension: true,
    handler: async ({ caller }) => ({ unread_count: await countUnread(caller.userId) }),
  }),
  route({
    id: "markNotificationRead",
    method: "patch",
    path: "/notifications/:id/read",
    blocks: "none",
    summary: "Mark a notification read",
    description: "Later events of the same kind then start a new notification.",
    params: notificationParams,
    response: notification,
    handler: async ({ caller, params, language }) => markNotificationRead(caller, params.id, await language()),
  }),
  route({
    id: "markAllNotificationsRead",
    method: "post",
    path: "/notifications/read-all",
    summary: "Mark all notifications read",
    description:
      "Returns the number of unread notifications afterwards, which counts those that arrived in the meantime.",
    response: unreadCount,
    handler: ({ caller }) => markAllNotificationsRead(caller),
  }),
];
