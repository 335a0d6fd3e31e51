import type { ChartType } from "#shared/contracts/views.ts";

/**
 * What each chart counts: rows with IDs of `[$1, $2)`, a range of the primary key. The time of a row is that of its ID.
 */
const facts: Readonly<Record<ChartType, readonly { from: string; value?: string; where?: string }[]>> = {
  user_growth: [{ from: "users f" }],
  room_activity: [{ from: "room_messages f", where: "f.kind = 'text'" }],
  engagement: [{ from: "posts f" }, { from: "post_comments f" }, { from: "direct_messages f" }],
  gifts: [{ from: "gift_transactions f", value: "f.quantity" }],
  coin_sales: [
    {
      from: "payments f JOIN payment_orders o ON o.id = f.order_id",
      value: "o.coins",
      where: "f.settles AND o.kind = 'coins'",
    },
  ],
};

export const chartTypes = Object.keys(facts) as ChartType[];

/** Returns a statement that selects `metric`, `quarter`, and `value` of facts with IDs of `[$1, $2)`. */
export const factsBetween = (types: readonly ChartType[]): string =>
  types
    .flatMap((type) =>
      facts[type].map(
        ({ from, value = "1", where = "true" }) =>
          `SELECT '${type}' AS metric, date_bin('15 minutes', time_of_id(f.id), '2000-01-01T00:00:00Z') AS quarter,
             ${value} AS value FROM ${from} WHERE f.id >= $1 AND f.id < $2 AND ${where}`,
      ),
    )
    .join(" UNION ALL ");
