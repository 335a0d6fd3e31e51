import type { TextCountry, TextDay } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** Returns whether text messages may go to a country, ISO 3166-1 alpha-2. */
export const mayText = (country: string): boolean => setting("text_countries").includes(country);

/**
 * Counts a text message with a code to a country. Returns whether it is one of those that the settings allow a day: a
 * sudden flood to one country is how codes by text message burn an operator's money.
 */
export async function countTextSent(country: string): Promise<boolean> {
  const most = setting("texts_per_country_per_day");
  const counted = await alone(
    `INSERT INTO text_days AS t (day, country, sent) VALUES ((now() AT TIME ZONE 'UTC')::date, $1, 1)
     ON CONFLICT (day, country) DO UPDATE SET sent = t.sent + 1 WHERE $2 = 0 OR t.sent < $2 RETURNING 1`,
    [country, most],
  );
  if (counted.length > 0) {
    metrics.codesSent.inc({ country });
    // The alert compares the two, so there must be both.
    metrics.codesUsed.inc({ country }, 0);
    return true;
  }
  metrics.messages.inc({ channel: "sms", outcome: "limited" });
  logger.warn({ country }, "text message not sent: the country's limit of the day");
  return false;
}

/** Notes what the carrier said of the price of a message to a country. */
export const notePriceClass = (country: string, priceClass: string): Promise<unknown> =>
  alone(
    `UPDATE text_days SET price_class = $2
     WHERE country = $1 AND day = (SELECT max(day) FROM text_days WHERE country = $1)
       AND price_class IS DISTINCT FROM $2`,
    [country, priceClass],
  );

/** Step: counts a code that was used. */
export async function countTextUsed(tx: Tx, country: string): Promise<void> {
  await tx.query(
    `INSERT INTO text_days AS t (day, country, sent, used) VALUES ((now() AT TIME ZONE 'UTC')::date, $1, 0, 1)
     ON CONFLICT (day, country) DO UPDATE SET used = t.used + 1`,
    [country],
  );
  tx.afterCommit(() => metrics.codesUsed.inc({ country }));
}

const percent = (used: string, sent: string) =>
  `coalesce(least(100, round(100.0 * ${used} / nullif(${sent}, 0))), 0)::int`;

const ofCountry = "($1::text IS NULL OR country = $1)";
const textDays = {
  count: `SELECT count(*) FROM text_days WHERE ${ofCountry}`,
  rows: `SELECT to_char(day, 'YYYY-MM-DD') AS date, country, sent, used, ${percent("used", "sent")} AS used_percent,
      price_class
    FROM text_days WHERE ${ofCountry} ORDER BY day DESC, sent DESC, country LIMIT $2 OFFSET $3`,
};

/** Returns how many codes were sent and used, by day and country, the newest day and the most sent first. */
export const listTextDays = (country: string | undefined, page: PageQuery): Promise<Page<TextDay>> =>
  queryPage<TextDay>(textDays, [country ?? null], page);

/** Returns the sums of countries over the last days, with today, the most sent first. */
export const sumTextCountries = (lastDays: number): Promise<TextCountry[]> =>
  query<TextCountry>(
    `SELECT country, sum(sent)::int AS sent, sum(used)::int AS used, ${percent("sum(used)", "sum(sent)")} AS used_percent,
       (array_agg(price_class ORDER BY day DESC) FILTER (WHERE price_class IS NOT NULL))[1] AS price_class
     FROM text_days WHERE day > (now() AT TIME ZONE 'UTC')::date - $1::int
     GROUP BY country ORDER BY sent DESC, country`,
    [lastDays],
  );
