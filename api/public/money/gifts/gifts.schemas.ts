import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, limits, line, listOf, object, pageQuery } from "#shared/contracts/fields.ts";
import { gift } from "#shared/contracts/views.ts";

export const roomParams = object({ id: id(exampleIds.room) });

export const sendGiftBody = object({
  gift_id: id(exampleIds.gift),
  recipient_id: id(exampleIds.grace).description("Another user who is in the room."),
  quantity: integer(1, limits.giftQuantityMax, 3),
}).meta({ name: "SendGiftBody" });

export const transactionsQuery = object(pageQuery);

export const giftCategory = object({
  category: object({ id: id(exampleIds.giftCategory), name: line(1, 60, "Classic") }),
  gifts: listOf(gift),
}).meta({ name: "GiftCategory" });
