import type { kycStatuses } from "#shared/contracts/views.ts";
import { defaulted, defineModel, key, nullable, small, text, time, uuid } from "#shared/db/model.ts";

/** What providers and administrators have found about who users are. */
export const KycCases = defineModel("kyc_cases", {
  id: key(uuid()),
  user_id: uuid(),
  provider: text(),
  reference: nullable(text()),
  status: text<(typeof kycStatuses)[number]>(),
  level: defaulted(small()),
  expires_at: nullable(time()),
  reason: defaulted(text()),
  decided_by: nullable(uuid()),
  decided_at: nullable(time()),
  created_at: defaulted(time()),
});
