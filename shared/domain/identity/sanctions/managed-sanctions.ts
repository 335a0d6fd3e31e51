import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { count, flag, id, limits, nullable, oneOf, text, time } from "#shared/contracts/fields.ts";
import { appealAnswer, appealStatuses, sanctionFields } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { AppealModel, SanctionModel } from "./sanction.model.ts";

/** Sanctions as administrators list them. */
export const managedSanctions: ManagedResource = {
  resource: "sanctions",
  name: "sanction",
  one: "a sanction",
  many: "sanctions",
  model: SanctionModel,
  fields: {},
  defaults: {},
  shown: {
    user_id: id(exampleIds.ada),
    ...sanctionFields,
    created_by: nullable(id(exampleIds.admin)).description("Null: a rule."),
    lifted_at: nullable(time(exampleTime(exampleIds.sanction, 3600))),
    rule_id: nullable(id(exampleIds.rule)),
    rule_version: nullable(count(3)),
    report_id: nullable(id(exampleIds.report)),
    acknowledged_at: nullable(time(exampleTime(exampleIds.sanction, 600))),
    suspends: flag(false).description("Whether it is a suspension of the account, which ends with it."),
  },
  search: ["reason"],
  filters: { user_id: id(exampleIds.ada), rule_id: id(exampleIds.rule), report_id: id(exampleIds.report) },
  derivedFilters: {
    active: {
      schema: oneOf("true").description("Only those that hold."),
      where: "(t.lifted_at IS NULL AND (t.until IS NULL OR t.until > now()))::text = ?",
    },
  },
  hasPeriod: true,
  sorts: ["created_at"],
  exampleId: exampleIds.sanction,
};

/** Appeals as administrators list them. */
export const managedAppeals: ManagedResource = {
  resource: "appeals",
  name: "appeal",
  one: "an appeal",
  many: "appeals",
  model: AppealModel,
  fields: {},
  defaults: {},
  shown: {
    user_id: id(exampleIds.ada),
    sanction_id: nullable(id(exampleIds.sanction)),
    removal_id: nullable(id(exampleIds.removal)),
    about: text(0, limits.postLength, "").description("What was removed."),
    text: text(0, 2000, "I was quoting someone."),
    status: oneOf(...appealStatuses),
    answer: nullable(appealAnswer()),
    decided_by: nullable(id(exampleIds.admin)),
    decided_at: nullable(time(exampleTime(exampleIds.appeal, 7200))),
  },
  search: [],
  filters: { status: oneOf(...appealStatuses), user_id: id(exampleIds.ada) },
  hasPeriod: true,
  sorts: ["created_at"],
  exampleId: exampleIds.appeal,
};
