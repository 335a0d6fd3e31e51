export interface FakeOrder {
  id: string;
  entity: "order";
  amount: number;
  amount_paid: number;
  currency: string;
  receipt: string | null;
  status: "created" | "attempted" | "paid";
}

export interface FakePayment {
  id: string;
  entity: "payment";
  order_id: string | null;
  amount: number;
  currency: string;
  status: "authorized" | "captured" | "failed" | "refunded";
  captured: boolean;
  amount_refunded: number;
  created_at: number;
  email: string;
  contact: string;
  card: { last4: string; name: string };
}

export interface FakeDispute {
  id: string;
  entity: "dispute";
  payment_id: string;
  amount: number;
  currency: string;
  amount_deducted: number;
  reason_code: string;
  status: "open" | "under_review" | "won" | "lost" | "closed";
  phase: "fraud" | "retrieval" | "chargeback" | "pre_arbitration" | "arbitration";
  created_at: number;
}

export interface FakeRefund {
  id: string;
  entity: "refund";
  payment_id: string;
  amount: number;
  currency: string;
  status: "processed" | "pending" | "failed";
  created_at: number;
  receipt: string | null;
}

/** A page of what was made at a time. */
export function ofTime(all: readonly { created_at: number }[], asked: URLSearchParams): object {
  const [from, to, skip] = ["from", "to", "skip"].map((name) => Number(asked.get(name)));
  const found = all.filter(({ created_at }) => created_at >= from! && created_at <= to!).slice(skip);
  return collection([...found], Number(asked.get("count") ?? 10));
}

/** Razorpay returns 10 items of a list, unless `count` asks for others; payments of an order always all. */
export const collection = (all: object[], count = all.length) => {
  const items = all.slice(0, count);
  return { entity: "collection", count: items.length, items };
};

/** A refusal of the fake. */
export class Failure extends Error {
  readonly status: number;

  constructor(status: number, description: string) {
    super(description);
    this.status = status;
  }
}
export const missing = () => new Failure(400, "The id provided does not exist");
