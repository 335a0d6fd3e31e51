import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { id, nullable, oneOf, text, time } from "#shared/contracts/fields.ts";
import { kycExpiry, kycLevel, kycStatuses } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { KycCases } from "./kyc.model.ts";

/** Identity checks as administrators list them. */
export const managedKycCases: ManagedResource = {
  resource: "kyc_cases",
  name: "kyc_case",
  one: "an identity check",
  many: "identity checks",
  model: KycCases,
  fields: {},
  defaults: {},
  shown: {
    user_id: id(exampleIds.ada),
    provider: Joi.string().example("sandbox"),
    reference: nullable(Joi.string().example("kyc_sbx0198f2ae")).description("The provider's ID of the case."),
    status: oneOf(...kycStatuses).example("approved"),
    level: kycLevel(),
    expires_at: nullable(kycExpiry()),
    reason: text(0, 200, "Passport seen by video"),
    decided_by: nullable(id(exampleIds.admin)),
    decided_at: nullable(time(exampleTime(exampleIds.kycCase, 600))),
  },
  search: ["reference"],
  filters: {
    user_id: id(exampleIds.ada),
    status: oneOf(...kycStatuses),
    provider: Joi.string().max(30).example("sandbox"),
  },
  hasPeriod: true,
  sorts: ["-created_at"],
  exampleId: exampleIds.kycCase,
};
