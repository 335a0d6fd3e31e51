import type { TicketStatus } from "#shared/contracts/views.ts";
import { defaulted, defineModel, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";
import type { StoredCard } from "#shared/domain/base/media/media-card.ts";

/** A message to support, with or without an account. */
export const TicketModel = defineModel("support_tickets", {
  id: key(uuid()),
  user_id: nullable(uuid()),
  email: text(),
  subject: text(),
  message: text(),
  media: nullable(json<readonly StoredCard[]>()),
  status: defaulted(text<TicketStatus>()),
  created_at: defaulted(time()),
  updated_at: defaulted(time()),
});

/** What support has answered. */
export const TicketAnswers = defineModel("ticket_answers", {
  id: key(uuid()),
  ticket_id: uuid(),
  admin_id: uuid(),
  message: text(),
  created_at: defaulted(time()),
});
