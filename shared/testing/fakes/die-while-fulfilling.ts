import { jobs } from "#shared/db/jobs.ts";
import { openDatabase } from "#shared/db/sequelize.ts";
import { configureFulfilment, fulfilOrder } from "#shared/domain/catalogue/orders/fulfilment/fulfil-order.ts";
import { sandboxProvider } from "#shared/domain/catalogue/orders/fulfilment/sandbox.ts";

/** A process that asks the sandbox to deliver an order, and is killed `before` or `after` the sandbox has done so. */
const [, , databaseUrl = "", orderId, moment] = process.argv;

await openDatabase(databaseUrl);
await jobs.start({ work: false });
configureFulfilment({
  ...sandboxProvider,
  deliver: async (order, signal) => {
    if (moment === "after") await sandboxProvider.deliver(order, signal);
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
});
await fulfilOrder(Number(orderId));
