import type { AppealStatus } from "#shared/contracts/views.ts";
import { defaulted, defineModel, key, nullable, text, texts, time, uuid } from "#shared/db/model.ts";

/** What a user may not do. */
export const SanctionModel = defineModel("sanctions", {
  id: key(uuid()),
  user_id: uuid(),
  kinds: texts(),
  until: nullable(time()),
  reason: text(),
  /** Null: a rule. */
  created_by: nullable(uuid()),
  created_at: defaulted(time()),
  lifted_at: nullable(time()),
});

/** What users say against it. */
export const AppealModel = defineModel("appeals", {
  id: key(uuid()),
  sanction_id: uuid(),
  user_id: uuid(),
  text: text(),
  status: defaulted(text<AppealStatus>()),
  answer: nullable(text()),
  decided_by: nullable(uuid()),
  decided_at: nullable(time()),
  created_at: defaulted(time()),
});
