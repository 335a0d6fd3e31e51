import Joi from "joi";
import { type Infer, line, listOf, object, oneOf, time, url } from "#shared/contracts/fields.ts";

export const policyKeys = ["community_guidelines", "privacy_policy", "terms_of_service"] as const;
export type PolicyKey = (typeof policyKeys)[number];

export const policies = object({
  sections: listOf(
    object({
      key: oneOf(...policyKeys),
      title: line(1, 120, "Community guidelines"),
      body_markdown: Joi.string().description("Markdown (CommonMark) without HTML.").example("Be decent."),
      page_url: url("https://voice.example.com/guidelines").description("The same as a page."),
    }),
  ),
  updated_at: time("2025-06-02T09:00:00.000Z").description("When any of the texts last changed."),
}).meta({ name: "Policies" });
export type Policies = Infer<typeof policies>;
