import { alone, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";

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
  if (counted.length > 0) return true;
  metrics.messages.inc({ channel: "sms", outcome: "limited" });
  logger.warn({ country }, "text message not sent: the country's limit of the day");
  return false;
}

/** Step: counts a code that was used. */
export const countTextUsed = (tx: Tx, country: string): Promise<unknown> =>
  tx.query(
    `INSERT INTO text_days AS t (day, country, sent, used) VALUES ((now() AT TIME ZONE 'UTC')::date, $1, 0, 1)
     ON CONFLICT (day, country) DO UPDATE SET used = t.used + 1`,
    [country],
  );
