import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, pageQuery, withDefault } from "#shared/contracts/fields.ts";

export const notificationParams = object({ id: id(exampleIds.notification) });

export const notificationsQuery = object({
  ...pageQuery,
  unread: withDefault(
    Joi.boolean()
      .truthy("1")
      .falsy("0")
      .description(
        "Send `true` or `1` to list only unread notifications. `total` is then the unread count. `false` and `0` list all of them, read or not, like leaving it out.",
      )
      .example(true),
    false,
  ),
});
