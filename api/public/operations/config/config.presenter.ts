import { type Infer, limits } from "#shared/contracts/fields.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import type { publicConfig } from "./config.schemas.ts";

/** Returns what a client needs before login. Reads memory only. */
export const presentConfig = (): Infer<typeof publicConfig> => ({
  app_name: setting("app_name"),
  maintenance_mode: setting("maintenance_mode"),
  room_categories: setting("room_categories"),
  languages: setting("languages"),
  min_client_version: setting("min_client_version"),
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
