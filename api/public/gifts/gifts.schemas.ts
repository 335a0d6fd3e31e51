import { type Infer, id, integer, limits, line, listOf, object, pageQuery } from "#shared/contracts/fields.ts";
import { gift } from "#shared/contracts/views.ts";

export const roomParams = object({ id: id() });
export type RoomParams = Infer<typeof roomParams>;

export const sendGiftBody = object({
  gift_id: id(),
  recipient_id: id().description("Somebody who is in the room now; not yourself."),
  quantity: integer(1, limits.giftQuantityMax, 3),
});
export type SendGiftBody = Infer<typeof sendGiftBody>;

export const transactionsQuery = object(pageQuery);

export const giftCategory = object({
  category: object({ id: id(), name: line(1, 60, "Classic") }),
  gifts: listOf(gift),
}).meta({ name: "GiftCategory" });
