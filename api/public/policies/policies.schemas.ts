import Joi from "joi";
import { line, listOf, object, oneOf, time } from "#shared/contracts/fields.ts";
import { policyKeys } from "./policies.presenter.ts";

export const policies = object({
  sections: listOf(
    object({
      key: oneOf(...policyKeys),
      title: line(1, 120, "Community guidelines"),
      body_markdown: Joi.string().description("Markdown (CommonMark) without HTML.").example("Be decent."),
    }),
  ),
  updated_at: time().description("When any of the texts last changed."),
}).meta({ name: "Policies" });
