import { defaulted, defineModel, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** Where the service posts what happens to a customer's orders. */
export const WebhookEndpoint = defineModel("webhook_endpoints", {
  id: key(uuid()),
  user_id: uuid(),
  url: text(),
  secret_sealed: text(),
  created_at: defaulted(time()),
  failing_since: nullable(time()),
  disabled_at: nullable(time()),
});
