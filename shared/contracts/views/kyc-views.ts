import Joi from "joi";
import { exampleIds, exampleTime } from "../examples.ts";
import { type Infer, id, integer, nullable, object, oneOf, plainTime, time, url } from "../fields.ts";

/** Views of who a user is known to be, as far as payouts need it. */

export const kycStatuses = ["pending", "approved", "rejected"] as const;

export const kycLevel = () => integer(0, 9, 1).description("How well the user is known; 0: not at all.");

export const kycExpiry = () => plainTime("2028-01-01T00:00:00.000Z").description("The level ends then.");

export const kycState = object({
  level: kycLevel(),
  status: oneOf("none", ...kycStatuses, "expired")
    .example("approved")
    .description("Of the last decision; `pending` while there is none, but an open case."),
  expires_at: nullable(time("2028-01-01T00:00:00.000Z")),
  provider: nullable(Joi.string().example("sandbox")).description(
    "The provider that decided; `manual`: an administrator did.",
  ),
  decided_at: nullable(time(exampleTime(exampleIds.kycCase))),
}).meta({ name: "KycState" });
export type KycState = Infer<typeof kycState>;

export const openedKyc = object({
  reference: Joi.string().example("kyc_sbx0198f2ae").description("The provider's ID of the case."),
  url: nullable(url("https://kyc.example.com/c/0198f2ae")).description(
    "The provider's page, where the user goes on. Null: the provider gets in touch.",
  ),
}).meta({ name: "OpenedKyc" });
export type OpenedKyc = Infer<typeof openedKyc>;

/** What servers of the operator see of a decision. */
export const kycDecidedFields = { user_id: id(), status: oneOf("approved", "rejected"), level: integer(0, 9, 1) };
