import type { CustomerStatus } from "#shared/contracts/catalogue-customer-views.ts";
import { defaulted, defineModel, integer, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** Users as customers of the catalogue. */
export const Customer = defineModel("catalogue_customers", {
  id: key(defaulted(integer())),
  user_id: uuid(),
  created_at: defaulted(time()),
  status: defaulted(text<CustomerStatus>()),
  version: defaulted(integer()),
  reminded_at: nullable(time()),
});
