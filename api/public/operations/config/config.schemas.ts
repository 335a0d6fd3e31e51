import Joi from "joi";
import { count, flag, line, listOf, object, url } from "#shared/contracts/fields.ts";
import { currentSplitPlan, splitPlan } from "#shared/contracts/views.ts";

export const publicConfig = object({
  app_name: line(1, 40, "Hubbub"),
  maintenance_mode: flag(false),
  room_categories: listOf(Joi.string().example("music")),
  languages: listOf(Joi.string().example("en")),
  min_client_version: Joi.string().example("1.0.0"),
  ways_in: listOf(Joi.string().example("google")).description(
    "The ways to log in: `password`, `phone`, `guest`, `google`, `apple`, `facebook`, and the names of other OpenID providers.",
  ),
  guests: object({ enabled: flag(false), may: listOf(Joi.string().example("chat")) }),
  voice_evidence: flag(false).description(
    "Whether what is said on seats is kept for five minutes, encrypted, so that a report can seal it for administrators. Tell users who get a seat.",
  ),
  policies: object({
    terms_url: url("https://voice.example.com/terms"),
    guidelines_url: url("https://voice.example.com/guidelines"),
    privacy_url: url("https://voice.example.com/privacy"),
  }).description("Pages with the texts of `GET /settings/privacy`."),
  split_plan: currentSplitPlan.description("How the price of most gifts is split now."),
  special_split_plans: listOf(splitPlan).description(
    "The plans for some gifts or countries that hold now, each before those that it has precedence over. They come before `split_plan`.",
  ),
  limits: object({
    message_length: count(1000).description(
      "Maximum length of a message in a room or a conversation, in UTF-16 code units.",
    ),
    seats_min: count(2),
    seats_max: count(20),
    seats_default: count(8),
    gift_quantity_max: count(999),
    post_length: count(5000),
    post_media_max: count(10),
    comment_length: count(1000),
  }),
}).meta({ name: "PublicConfig" });
