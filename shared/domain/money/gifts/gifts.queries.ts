import type { Gift, GiftTransaction } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { seenCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

export interface GiftCategory {
  category: { id: string; name: string };
  gifts: Gift[];
}

/** Returns the gifts for sale by category, both in their order. Leaves out categories without gifts. */
export async function listGifts(): Promise<GiftCategory[]> {
  const rows = await query<Gift & { category_name: string }>(
    `SELECT g.id, g.name, g.image_url, g.animation_url, g.price, g.category_id, c.name AS category_name
     FROM gift_categories c JOIN gifts g ON g.category_id = c.id
     WHERE c.retired_at IS NULL AND g.retired_at IS NULL
     ORDER BY c.position, c.name, c.id, g.position, g.price, g.id`,
  );
  return [...Map.groupBy(rows, ({ category_id }) => category_id)].map(([id, found]) => ({
    category: { id, name: found[0]!.category_name },
    gifts: found.map(({ category_name, ...gift }) => gift),
  }));
}

type TransactionRow = Omit<GiftTransaction, "sender" | "recipient"> & { sender_id: string; recipient_id: string };

/** The gift of the row `g` as JSON. `price` is an SQL expression. */
export const giftJson = (price: string) => `json_build_object('id', g.id, 'name', g.name, 'image_url', g.image_url,
  'animation_url', g.animation_url, 'price', ${price}, 'category_id', g.category_id)`;

/** Shows the gift as it is now, with the price that was paid. */
const transactionColumns = `t.id, ${giftJson("t.unit_price")} AS gift, t.quantity, t.total_coins, t.sender_id, t.recipient_id, t.room_id, t.created_at`;

/** `side`: the column with the user whose gifts are listed. */
const transactionsOf = (side: "sender_id" | "recipient_id") => ({
  count: `SELECT count(*) FROM gift_transactions WHERE ${side} = $1`,
  rows: `SELECT ${transactionColumns} FROM gift_transactions t JOIN gifts g ON g.id = t.gift_id
    WHERE t.${side} = $1 ORDER BY t.id DESC LIMIT $2 OFFSET $3`,
});

const listOf = (side: "sender_id" | "recipient_id") => {
  const statement = transactionsOf(side);
  return async (userId: string, page: PageQuery): Promise<Page<GiftTransaction>> => {
    const found = await queryPage<TransactionRow>(statement, [userId], page);
    return { ...found, items: await toTransactions(userId, found.items) };
  };
};

/** Returns the gifts that a user has sent, newest first. */
export const listSentGifts = listOf("sender_id");

/** Returns the gifts that a user has received, newest first. */
export const listReceivedGifts = listOf("recipient_id");

async function toTransactions(userId: string, rows: readonly TransactionRow[]): Promise<GiftTransaction[]> {
  const people = new Set(rows.flatMap(({ sender_id, recipient_id }) => [sender_id, recipient_id]));
  const cards = await seenCards(userId, [...people]);
  return rows.map(({ sender_id, recipient_id, ...transaction }) => ({
    ...transaction,
    sender: cards.get(sender_id)!,
    recipient: cards.get(recipient_id)!,
  }));
}
