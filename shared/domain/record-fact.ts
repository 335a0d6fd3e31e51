import type { FactConsumer } from "#shared/db/outbox.ts";
import { recordScores } from "./leaderboards/record-scores.ts";
import { recordNotifications } from "./notifications/record-notifications.ts";
import { cutModerators } from "./rooms/cut-moderators.ts";
import { recordVip } from "./store/vip-periods.ts";

/**
 * What features write because of facts of others, in the order of `shared/README.md`. Each may see a fact twice, by the
 * same id, and writes the same once.
 */
const consumers: readonly FactConsumer[] = [cutModerators, recordVip, recordScores, recordNotifications];

export const recordFact: FactConsumer = async (fact, id) => {
  for (const consume of consumers) await consume(fact, id);
};
