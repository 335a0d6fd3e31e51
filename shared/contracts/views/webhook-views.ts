import { idMax, instant } from "../catalogue-fields.ts";
import { orderStatus } from "../catalogue-order-views.ts";
import { exampleIds, exampleTime } from "../examples.ts";
import { count, type Infer, id, integer, line, nullable, object, oneOf, time, url } from "../fields.ts";

const webhookFields = {
  id: id(exampleIds.webhook),
  url: url("https://shop.example.com/hubbub"),
  status: oneOf("enabled", "disabled"),
  failing_since: nullable(time(exampleTime(exampleIds.webhook)))
    .description("Since when nothing has been delivered, although it was tried.")
    .example(null),
  created_at: time(exampleTime(exampleIds.webhook)),
};

export const webhook = object(webhookFields).meta({ name: "Webhook" });
export type Webhook = Infer<typeof webhook>;

/** A webhook with its secret, which is shown once. */
export const newWebhook = object({
  ...webhookFields,
  secret: line(1, 100, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD").description("Signs what is sent. Shown only here."),
}).meta({ name: "NewWebhook" });
export type NewWebhook = Infer<typeof newWebhook>;

const orderUpdated = object({
  type: oneOf("order.updated"),
  timestamp: time(exampleTime(exampleIds.webhookDelivery)),
  data: object({
    id: integer(1, idMax, 1),
    kind: oneOf("top_up", "card"),
    top_up_id: nullable(integer(1, idMax, 1)),
    card_id: nullable(integer(1, idMax, 1)).example(null),
    service_id: integer(1, idMax, 1),
    status: orderStatus(),
    updated_at: instant(),
  }).meta({ name: "WebhookOrder" }),
}).meta({ name: "OrderUpdated" });

export const webhookDelivery = object({
  id: id(exampleIds.webhookDelivery).description("The header `webhook-id`, the same in each try."),
  type: oneOf("order.updated"),
  status: oneOf("pending", "delivered", "failed"),
  tries: count(1),
  next_try_at: nullable(time(exampleTime(exampleIds.webhookDelivery))).example(null),
  response_status: nullable(integer(0, 999, 200)).description("The status of the last answer."),
  error: nullable(line(1, 300, "The answer was 500.")).example(null),
  payload: orderUpdated.description("What is sent."),
  created_at: time(exampleTime(exampleIds.webhookDelivery)),
  delivered_at: nullable(time(exampleTime(exampleIds.webhookDelivery))),
}).meta({ name: "WebhookDelivery" });
export type WebhookDelivery = Infer<typeof webhookDelivery>;
