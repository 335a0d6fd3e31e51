import { pageOf } from "#shared/contracts/fields.ts";
import { notification, unreadCount } from "#shared/contracts/views.ts";
import { markAllNotificationsRead, markNotificationRead } from "#shared/domain/notifications/mark-read.ts";
import {
  countUnread,
  listNotifications,
  type NotificationsQuery,
} from "#shared/domain/notifications/notifications.queries.ts";
import { type Route, route } from "../../http/route.ts";
import { type NotificationParams, notificationParams, notificationsQuery } from "./notifications.schemas.ts";

const user = { tag: "Notifications", auth: "user" } as const;

export const notificationsRoutes = (): Route[] => [
  route<object, NotificationsQuery>({
    ...user,
    method: "get",
    path: "/notifications",
    summary: "What others did that concerns you, newest first",
    description:
      "Follows, friend requests, gifts, likes, comments, and rooms that people open whom you follow, as your settings have it. While a notification is unread, more of the same is added to it: it keeps its id and comes to the top. Kept for 90 days.",
    query: notificationsQuery,
    response: pageOf(notification),
    handler: ({ caller, query }) => listNotifications(caller.userId, query),
  }),
  route({
    ...user,
    method: "get",
    path: "/notifications/unread-count",
    summary: "How many notifications you have not read",
    response: unreadCount,
    extension: true,
    handler: async ({ caller }) => ({ unread_count: await countUnread(caller.userId) }),
  }),
  route<NotificationParams>({
    ...user,
    method: "patch",
    path: "/notifications/:id/read",
    summary: "Mark a notification read",
    params: notificationParams,
    response: notification,
    handler: ({ caller, params }) => markNotificationRead(caller, params.id),
  }),
  route({
    ...user,
    method: "post",
    path: "/notifications/read-all",
    summary: "Mark all notifications read",
    description: "Answers how many are unread then: those that came meanwhile.",
    response: unreadCount,
    handler: ({ caller }) => markAllNotificationsRead(caller),
  }),
];
