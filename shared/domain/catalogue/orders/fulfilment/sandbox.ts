import { query } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import type { Delivery, FulfilmentProvider, OrderToDeliver } from "./provider.ts";

/**
 * What the sandbox does with an order that has one of these words in a field. All others are delivered at once.
 * `fail`: refuses it. `slow`: accepts it, and has delivered it when it is asked. `unknown`: delivers it, and its answer
 * is lost. `lost`: never receives it at first. `down`: neither receives it nor answers.
 */
const words = ["fail", "slow", "unknown", "lost", "down"] as const;
type Behaviour = (typeof words)[number] | "deliver";

const behaviourOf = ({ input }: Pick<OrderToDeliver, "input">): Behaviour =>
  words.find((word) => Object.values(input).some((value) => value.toLowerCase() === word)) ?? "deliver";

const noAnswer = () => new Error("The sandbox doesn't answer.");

interface SandboxRow {
  readonly behaviour: Behaviour;
  readonly calls: number;
  readonly received: boolean;
}

const deliveryOf = (orderId: number, { behaviour }: Pick<SandboxRow, "behaviour">): Delivery =>
  behaviour === "fail"
    ? { status: "failed", reason: "The sandbox refuses this order." }
    : { status: "completed", reference: `sandbox-${orderId}` };

/** Our own provider, which delivers nothing. Its books are a table of its own, which only the sandbox reads. */
export const sandboxProvider: FulfilmentProvider = {
  name: "sandbox",
  deliver: async (order) => {
    const behaviour = behaviourOf(order);
    const row = await alone<SandboxRow>(
      `INSERT INTO sandbox_deliveries AS d (order_id, behaviour, calls, received)
       VALUES ($1, $2, 1, $2 NOT IN ('lost', 'down'))
       ON CONFLICT (order_id) DO UPDATE SET calls = d.calls + 1, received = d.behaviour <> 'down'
       RETURNING behaviour, calls, received`,
      [order.id, behaviour],
    ).then(([row]) => row);
    const { calls, received } = row!;
    if (!received || (behaviour === "unknown" && calls === 1)) throw noAnswer();
    return behaviour === "slow" && calls === 1 ? { status: "pending" } : deliveryOf(order.id, row!);
  },
  find: async (orderId) => {
    const [row] = await query<SandboxRow>(
      "SELECT behaviour, calls, received FROM sandbox_deliveries WHERE order_id = $1",
      [orderId],
    );
    if (row?.behaviour === "down") throw noAnswer();
    return row?.received ? deliveryOf(orderId, row) : undefined;
  },
};
