import { id, input, integer, limits, line, listOf, pageQuery, view } from "#shared/contracts/fields.ts";
import { gift } from "#shared/contracts/views.ts";
import type { GiftCategory } from "#shared/domain/gifts/gifts.queries.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface RoomParams {
  id: string;
}
export const roomParams = input<RoomParams>({ id: id().required() });

export interface SendGiftBody {
  gift_id: string;
  recipient_id: string;
  quantity: number;
}
export const sendGiftBody = input<SendGiftBody>({
  gift_id: id().required(),
  recipient_id: id().required().description("Somebody who is in the room now; not yourself."),
  quantity: integer(1, limits.giftQuantityMax, 3).required(),
});

export const transactionsQuery = input<PageQuery>(pageQuery);

export const giftCategory = view<GiftCategory>({
  category: view<GiftCategory["category"]>({ id: id(), name: line(1, 60, "Classic") }),
  gifts: listOf(gift),
}).meta({ name: "GiftCategory" });
