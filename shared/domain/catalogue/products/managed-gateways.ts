import Joi from "joi";
import { integer, line, listOf, nullable, object, text } from "#shared/contracts/fields.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ManagedResource, RecordId } from "#shared/domain/base/managed/managed-resource.ts";
import { seal } from "#shared/kernel/seal.ts";
import { GatewayModel } from "./catalogue.models.ts";
import { bit, currency, decimal, image, queryBit } from "./managed-fields.ts";

/** Step: seals the values of the parameters. Resellers and administrators see their names alone. */
async function storeParameters(tx: Tx, id: RecordId, value: unknown): Promise<void> {
  await GatewayModel.change(
    tx,
    { id: Number(id) },
    { parameter_names: Object.keys(value as object), parameters_sealed: seal(`gateway ${id}`, JSON.stringify(value)) },
  );
}

const code = () =>
  Joi.string()
    .pattern(/^[a-z0-9][a-z0-9_-]{0,39}$/, "up to 40 lower-case letters, digits, hyphens, and underscores")
    .example("cardwise");

const receivable = object({
  name: currency(),
  currency_symbol: line(1, 10, "$"),
  conversion_rate: decimal("1"),
  min_limit: decimal("1"),
  max_limit: decimal("1000"),
  percentage_charge: decimal("2.5"),
  fixed_charge: decimal("0.3"),
});

/** Pairs of a name and a value, up to `max`. */
const pairs = (max: number, example: Record<string, string>) =>
  Joi.object<Record<string, string>>()
    .pattern(/^(?!__proto__$)\w{1,60}$/, text(0, 500, "1"))
    .max(max)
    .example(example);

export const managedGateways: ManagedResource = {
  resource: "catalogue_gateways",
  path: "/catalogue/gateways",
  name: "catalogue_gateway",
  one: "a payment gateway",
  many: "payment gateways",
  model: GatewayModel,
  fields: {
    code: code(),
    name: line(1, 60, "Cardwise"),
    image_url: image("cardwise"),
    status: bit().description("1: shown. 0: hidden."),
    sort_by: integer(0, 100, 1).description("Lower numbers are shown first."),
    currencies: pairs(200, { USD: "USD" }).description("Supported currency codes."),
    extra_parameters: nullable(pairs(50, {})).description("Shown to resellers."),
    supported_currency: listOf(currency()).max(200).unique(),
    receivable_currencies: listOf(receivable).max(200),
    description: text(0, 2000, "Cards of all networks."),
    currency_type: integer(0, 100, 1),
    is_sandbox: bit(0),
    environment: line(1, 20, "live"),
    is_manual: nullable(bit(0)),
    note: nullable(text(1, 500, "Payments are usually confirmed within a minute.")),
  },
  defaults: {
    status: 1,
    sort_by: 1,
    currencies: {},
    extra_parameters: null,
    supported_currency: [],
    receivable_currencies: [],
    description: "",
    currency_type: 1,
    is_sandbox: 0,
    environment: "live",
    is_manual: null,
    note: null,
  },
  shown: { parameter_names: listOf(line(1, 60, "secret_key")).description("The parameters that have a value.") },
  secret: {
    name: "parameters",
    schema: pairs(50, { secret_key: "sk_live_5f0c2b9e4d7a" }).description(
      "Secrets. All of them are replaced. They are stored encrypted and never shown again.",
    ),
    store: storeParameters,
  },
  search: ["name", "code"],
  filters: { status: queryBit() },
  sorts: ["sort_by", "name", "code", "created_at"],
  exampleId: 1,
};
