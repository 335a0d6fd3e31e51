import { bigint, code, defaulted, defineModel, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** An order, as administrators list it. */
export const OrderModel = defineModel("payment_orders", {
  id: key(uuid()),
  user_id: uuid(),
  kind: text(),
  status: defaulted(text()),
  title: text(),
  amount: bigint(),
  currency: code(3),
  coins: defaulted(bigint()),
  package_id: nullable(uuid()),
  plan_id: nullable(uuid()),
  provider: text(),
  provider_order_id: nullable(text()),
  created_at: defaulted(time()),
  expires_at: time(),
  paid_at: nullable(time()),
  refunded_at: nullable(time()),
  flag: nullable(text()),
});
