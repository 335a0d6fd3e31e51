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
