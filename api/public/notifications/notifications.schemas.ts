import Joi from "joi";
import { id, input, pageQuery } from "#shared/contracts/fields.ts";
import type { NotificationsQuery } from "#shared/domain/notifications/notifications.queries.ts";

export interface NotificationParams {
  id: string;
}
export const notificationParams = input<NotificationParams>({ id: id().required() });

export const notificationsQuery = input<NotificationsQuery>({
  ...pageQuery,
  unread: Joi.boolean()
    .default(false)
    .description("true: only those that are not read; `total` is the unread count then. Otherwise all.")
    .example(true),
});
