import { bigint, defineModel, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** Coins that an administrator gives to a user or takes back. */
export const AdjustmentModel = defineModel("coin_adjustments", {
  id: key(uuid()),
  user_id: nullable(uuid()),
  amount: nullable(bigint()),
  reason: nullable(text()),
  status: nullable(text()),
  requested_by: nullable(uuid()),
  decided_by: nullable(uuid()),
  created_at: nullable(time()),
  decided_at: nullable(time()),
  expires_at: nullable(time()),
});
