import Joi from "joi";
import { type Infer, id, object, pageQuery, withDefault } from "#shared/contracts/fields.ts";

export const notificationParams = object({ id: id() });
export type NotificationParams = Infer<typeof notificationParams>;

export const notificationsQuery = object({
  ...pageQuery,
  unread: withDefault(
    Joi.boolean()
      .description("true: only those that are not read; `total` is the unread count then. Otherwise all.")
      .example(true),
    false,
  ),
});
