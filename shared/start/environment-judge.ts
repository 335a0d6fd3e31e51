import Joi from "joi";
import type { InferFields } from "#shared/contracts/fields.ts";
import { isSecureAddress } from "#shared/kernel/secure-address.ts";
import { about, passing } from "./environment-fields.ts";

/** Environment variables of the judge of texts and pictures. */
export const judgeVariables = {
  JUDGE_URL: about(passing(isSecureAddress), {
    purpose:
      "Who says what texts and pictures are, for rules that look for labels: an address that is called with each of them. Requires JUDGE_SECRET. Default: in production no judge, elsewhere a sandbox that finds the label `spam` in `label:spam`.",
    wanted: "an https URL, or an http URL on this machine",
    example: "https://judge.example.com/judge",
  }),
  JUDGE_SECRET: about(
    Joi.string()
      .pattern(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
      .when("JUDGE_URL", { is: Joi.exist(), otherwise: Joi.forbidden() })
      .when("JUDGE_URL", { not: Joi.exist(), otherwise: Joi.required() }),
    {
      purpose: "Signs the calls of JUDGE_URL, by Standard Webhooks.",
      wanted: "`whsec_`, and at least 24 bytes in base64; only with JUDGE_URL",
      example: "whsec_c2VjcmV0LW9mLXRoZS1qdWRnZS1leGFtcGxl",
      secrecy: "secret",
    },
  ),
};

/** Returns who judges, by the variables. */
export const judgeOf = ({ JUDGE_URL: url, JUDGE_SECRET: secret }: InferFields<typeof judgeVariables>) =>
  url && secret ? { judge: Object.freeze({ url, secret }) } : {};
