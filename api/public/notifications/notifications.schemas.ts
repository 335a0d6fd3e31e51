import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageQuery, withDefault } from "#shared/contracts/fields.ts";

export const notificationParams = object({ id: id(exampleIds.notification) });

export const notificationsQuery = object({
  ...pageQuery,
  unread: withDefault(
    Joi.boolean()
      .description("Send `true` to list only unread notifications. `total` is then the unread count.")
      .example(true),
    false,
  ),
});
