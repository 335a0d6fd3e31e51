import { count } from "#shared/contracts/fields.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { CardModel, CardServiceModel } from "./catalogue.models.ts";
import {
  bit,
  productDefaults,
  productFields,
  queryBit,
  queryReference,
  reference,
  serviceDefaults,
  serviceFields,
  wrongCategory,
  wrongPrice,
} from "./managed-fields.ts";

export const managedCards: ManagedResource = {
  resource: "catalogue_cards",
  path: "/catalogue/cards",
  name: "catalogue_card",
  one: "a gift card",
  many: "gift cards",
  model: CardModel,
  fields: { ...productFields("Moonbeam Store"), trending: bit(0) },
  defaults: { ...productDefaults, trending: 0 },
  shown: { total_review: count(0), sell_count: count(12) },
  check: (values) => wrongCategory(values, "card"),
  search: ["name", "slug"],
  filters: { category_id: queryReference(), status: queryBit() },
  sorts: ["id", "name", "sell_count", "created_at", "updated_at"],
  exampleId: 1,
};

export const managedCardServices: ManagedResource = {
  resource: "catalogue_card_services",
  path: "/catalogue/card-services",
  name: "catalogue_card_service",
  one: "a card service",
  many: "services of cards",
  model: CardServiceModel,
  fields: { card_id: reference(), ...serviceFields },
  defaults: serviceDefaults,
  check: (values) => wrongPrice(values, String(values.currency)),
  search: ["name"],
  filters: { card_id: queryReference(), status: queryBit() },
  sorts: ["id", "name", "price", "created_at", "updated_at"],
  exampleId: 1,
};
