import { exampleIds } from "#shared/contracts/examples.ts";
import { date, id, nullable, oneOf } from "#shared/contracts/fields.ts";
import { currency, findingKinds, findingStatuses, money, providerId, providerNames } from "#shared/contracts/views.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { FindingModel } from "./finding.model.ts";

/** What the reconciliation with providers has found, which `reconcileDay` writes. */
export const managedFindings: ManagedResource = {
  resource: "orders",
  listed: { as: "payment_findings", permission: "orders.read" },
  name: "payment_finding",
  one: "a finding",
  many: "findings of the reconciliation",
  model: FindingModel,
  fields: {},
  defaults: {},
  shown: {
    provider: oneOf(...providerNames).example("stripe"),
    day: date("2026-01-31").description("Of the provider's books, UTC."),
    kind: oneOf(...findingKinds).description(
      "`missing_here`: the provider has it, and we don't. `missing_there`: we have it, and the provider doesn't. `amount`: the amounts or currencies differ. `state`: one of us says that the money has moved, and the other that it hasn't.",
    ),
    subject: oneOf("payment", "refund"),
    provider_id: providerId("pi_3PqXb2Lk7dEa").description(
      "The provider's ID of the payment, the refund, or the dispute.",
    ),
    order_id: nullable(id(exampleIds.coinOrder)),
    amount_here: nullable(money()),
    amount_there: nullable(money()).example(null),
    currency: nullable(currency()),
    status: oneOf(...findingStatuses).description("`settled`: it differs no longer. `closed`: by an administrator."),
  },
  search: [],
  filters: {
    status: oneOf(...findingStatuses),
    provider: oneOf(...providerNames),
    kind: oneOf(...findingKinds),
    provider_id: providerId(),
    order_id: id(exampleIds.coinOrder),
  },
  hasPeriod: true,
  sorts: ["-created_at", "day"],
  exampleId: exampleIds.coinOrder,
};
