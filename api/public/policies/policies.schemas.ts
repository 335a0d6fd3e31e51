import Joi from "joi";
import { line, listOf, oneOf, time, view } from "#shared/contracts/fields.ts";
import { type Policies, type PolicySection, policyKeys } from "./policies.presenter.ts";

export const policies = view<Policies>({
  sections: listOf(
    view<PolicySection>({
      key: oneOf(...policyKeys),
      title: line(1, 120, "Community guidelines"),
      body_markdown: Joi.string().description("Markdown (CommonMark) without HTML.").example("Be decent."),
    }),
  ),
  updated_at: time().description("When any of the texts last changed."),
}).meta({ name: "Policies" });
