import { type Infer, limits } from "#shared/contracts/fields.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { openIdProviders } from "#shared/domain/identity/sign-in/openid.config.ts";
import { keepsVoice } from "#shared/domain/live/evidence/evidence.config.ts";
import { plansInForce } from "#shared/domain/money/splits/split-plans.ts";
import { policyUrl } from "../policies/policies.presenter.ts";
import type { publicConfig } from "./config.schemas.ts";

/** Returns what a client needs before login. Reads memory only. */
export const presentConfig = (): Infer<typeof publicConfig> => ({
  app_name: setting("app_name"),
  maintenance_mode: setting("maintenance_mode"),
  room_categories: setting("room_categories"),
  languages: setting("languages"),
  min_client_version: setting("min_client_version"),
  ways_in: [
    "password",
    ...(setting("text_countries").length > 0 ? ["phone"] : []),
    ...(setting("guests_enabled") ? ["guest"] : []),
    ...openIdProviders(),
  ],
  guests: { enabled: setting("guests_enabled"), may: setting("guests_may") },
  voice_evidence: keepsVoice(),
  policies: {
    terms_url: policyUrl("terms_of_service"),
    guidelines_url: policyUrl("community_guidelines"),
    privacy_url: policyUrl("privacy_policy"),
  },
  ...plansInForce(),
  limits: {
    message_length: limits.messageLength,
    seats_min: limits.seatsMin,
    seats_max: limits.seatsMax,
    seats_default: limits.seatsDefault,
    gift_quantity_max: limits.giftQuantityMax,
    post_length: limits.postLength,
    post_media_max: limits.postMediaMax,
    comment_length: limits.commentLength,
  },
});
