import type { AppealStatus } from "#shared/contracts/views.ts";
import { defaulted, defineModel, flag, integer, key, nullable, text, texts, time, uuid } from "#shared/db/model.ts";

/** What a user may not do. One without kinds is a warning. */
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
  /** The rule that it is by, and its version. */
  rule_id: nullable(uuid()),
  rule_version: nullable(integer()),
  /** The report that it is about. */
  report_id: nullable(uuid()),
  acknowledged_at: nullable(time()),
  covers: defaulted(texts()),
  /** The account is suspended; then it isn't enforced here. */
  suspends: defaulted(flag()),
});

/** What users say against it, or against a removal. */
export const AppealModel = defineModel("appeals", {
  id: key(uuid()),
  /** One of these two. */
  sanction_id: nullable(uuid()),
  removal_id: nullable(uuid()),
  /** What was removed. */
  about: defaulted(text()),
  user_id: uuid(),
  text: text(),
  status: defaulted(text<AppealStatus>()),
  answer: nullable(text()),
  decided_by: nullable(uuid()),
  decided_at: nullable(time()),
  created_at: defaulted(time()),
});
