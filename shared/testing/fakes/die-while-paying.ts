import { openDatabase } from "#shared/db/sequelize.ts";
import { PayoutModel } from "#shared/domain/money/payouts/payout.model.ts";
import { configurePayouts } from "#shared/domain/money/payouts/payouts.config.ts";
import { makeRazorpayX } from "#shared/domain/money/payouts/providers/razorpayx.ts";
import { sendDuePayouts } from "#shared/domain/money/payouts/send-payouts.ts";
import "#shared/testing/access/access-tokens.ts";

/**
 * A process that handles due payouts, and is killed at a moment: when it would `register` the account, `before` or
 * `after` it asks the provider to pay, or at the end of the transaction that records a status.
 */
const [, , databaseUrl = "", credentials = "", moment] = process.argv;
const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};

await openDatabase(databaseUrl);
const provider = makeRazorpayX(JSON.parse(credentials));
configurePayouts([
  {
    ...provider,
    register: (...payout) => (moment === "register" ? die() : provider.register!(...payout)),
    send: async (...payout) => {
      if (moment === "before") return die();
      const outcome = await provider.send(...payout);
      return moment === "after" ? die() : outcome;
    },
  },
]);
const change = PayoutModel.change.bind(PayoutModel);
Object.assign(PayoutModel, {
  change: async (...changed: Parameters<typeof change>) => {
    const isChanged = await change(...changed);
    return changed[2].status === moment ? die() : isChanged;
  },
});
await sendDuePayouts();
