import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { databaseUrl } from "#shared/db/database-address.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { configureFulfilment, fulfilDueOrders, fulfilOrder } from "./fulfil-order.ts";
import { sandboxProvider } from "./sandbox.ts";

const dying = fileURLToPath(import.meta.resolve("#shared/testing/fakes/die-while-fulfilling.ts"));

describe("instant delivery", () => {
  useService();
  after(() => configureFulfilment(undefined));
  beforeEach(() => configureFulfilment(sandboxProvider));

  async function place(player: string, campaign?: object) {
    const { caller } = await buildReseller();
    const topUp = await buildTopUp({ topUp: { instant_delivery: 1 }, ...(campaign && { campaign }) });
    const id = await placeOrder(caller, { ...orderOf(topUp), Player_Id: player });
    return { id, topUp };
  }
  const stateOf = (id: number) =>
    queryOne<{ status: string; calls: number | null; [name: string]: unknown }>(
      `SELECT o.status, o.reason, o.delivery, o.problem, o.tries, d.calls,
         o.next_try_at > now() AS waits, o.asking_until IS NOT NULL AS asking
       FROM catalogue_orders o LEFT JOIN sandbox_deliveries d ON d.order_id = o.id WHERE o.id = $1`,
      [id],
    );
  /** Waits until the job that the order was placed with has asked. */
  const asked = (id: number) =>
    until("the provider was asked", async () => {
      const state = await stateOf(id);
      return state?.status !== "placed" && !state?.asking;
    });
  /** Lets the time pass until the order is due. */
  async function askAgain(id: number) {
    await query("UPDATE catalogue_orders SET next_try_at = now(), asking_until = now() WHERE id = $1", [id]);
    await fulfilDueOrders();
  }

  for (const [word, first, then, calls] of [
    ["1234", { status: "completed" }, { status: "completed" }, 1],
    ["fail", { status: "cancelled", reason: "The sandbox refuses this order." }, { status: "cancelled" }, 1],
    ["slow", { status: "processing", problem: null, waits: true }, { status: "completed" }, 1],
    ["unknown", { status: "processing", problem: "Error: The sandbox doesn't answer." }, { status: "completed" }, 1],
    ["lost", { status: "processing", problem: "Error: The sandbox doesn't answer." }, { status: "completed" }, 2],
    ["down", { status: "processing", waits: true }, { status: "processing", tries: 2 }, 1],
  ] as const)
    it(`records what the provider answers: ${word}`, async () => {
      const { id } = await place(word);

      await asked(id);
      expect(await stateOf(id)).to.include(first);
      if (first.status === "processing") await askAgain(id);

      const end = await stateOf(id);
      expect(end).to.include({ ...then, calls });
      if (then.status === "completed") expect(end).to.include({ delivery: `sandbox-${id}`, problem: null });
    });

  for (const [moment, calls] of [
    ["before", null],
    ["after", 1],
  ] as const)
    it(`delivers once when the process is killed ${moment} the delivery`, async () => {
      configureFulfilment(undefined);
      const { id } = await place("1234");
      await query("UPDATE catalogue_orders SET next_try_at = now() WHERE id = $1", [id]);
      configureFulfilment(sandboxProvider);

      const child = spawn(process.execPath, [dying, databaseUrl(), `${id}`, moment], { stdio: "inherit" });
      const [, signal] = await once(child, "exit");
      const left = await stateOf(id);
      await fulfilOrder(id);
      const untouched = await stateOf(id);
      await askAgain(id);

      expect(signal).to.equal("SIGKILL");
      expect(left).to.include({ status: "processing", asking: true, calls });
      expect(untouched).to.deep.equal(left);
      expect(await stateOf(id)).to.include({ status: "completed", calls: 1 });
    });

  it("asks once, however many processes try", async () => {
    const { id } = await place("slow");
    await asked(id);
    await query("UPDATE catalogue_orders SET next_try_at = now() WHERE id = $1", [id]);

    await Promise.all(Array.from({ length: 8 }, () => fulfilOrder(id)));

    expect(await stateOf(id)).to.include({ status: "completed", tries: 2 });
  });

  it("gives the sale of a campaign back when the provider fails", async () => {
    const { id, topUp } = await place("fail", { max_sell: 1 });
    await asked(id);

    const sold = await queryOne("SELECT offered_sell FROM catalogue_campaigns WHERE service_id = $1", [
      topUp.serviceId,
    ]);
    expect(sold).to.deep.equal({ offered_sell: 0 });
  });

  it("leaves orders to administrators without instant delivery, or without a provider", async () => {
    const { caller } = await buildReseller();
    const slow = await placeOrder(caller, orderOf(await buildTopUp()));
    configureFulfilment(undefined);
    const instant = await place("1234");

    await fulfilDueOrders();

    for (const id of [slow, instant.id])
      expect(await stateOf(id)).to.include({ status: "placed", tries: 0, calls: null });
  });
});
