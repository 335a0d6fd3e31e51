import Joi from "joi";
import { flag, id, integer, line, object, optional, pageQuery, text, withDefault } from "#shared/contracts/fields.ts";

export const maintenance = object({
  enabled: flag(true),
  message: text(0, 300, "We'll be back at 18:00 UTC.").description("Empty: the usual message."),
}).meta({ name: "Maintenance" });

export const maintenanceBody = object({
  enabled: flag(true),
  message: optional(line(1, 300, "We'll be back at 18:00 UTC.").description("The message of the 503 responses.")),
}).meta({ name: "SetMaintenanceBody" });

export const deadJobParams = object({ id: id("0198f2b6-3c58-7f21-9b4e-a06d5e1c8f37") });
export const deadJobsQuery = object(pageQuery);

const eventId = () => Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).example(17);
export const deadEventParams = object({ id: eventId() });
export const deadEventsQuery = object({
  before: optional(eventId().description("ID of the last item on the previous page.")),
  limit: withDefault(Joi.number().integer().min(1).max(100).example(50), 50),
});

export const retriedJob = object({ id: deadJobParams.extract("id") as ReturnType<typeof id> }).meta({
  name: "RetriedJob",
});
export const retriedEvent = object({ id: integer(1, Number.MAX_SAFE_INTEGER, 17) }).meta({ name: "RetriedEvent" });
