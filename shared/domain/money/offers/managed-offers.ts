import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { count, id, integer, line, listOf, nullable, oneOf, plainTime } from "#shared/contracts/fields.ts";
import { couponCode, happyHours, offerKinds } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import type { ManagedResource } from "#shared/domain/base/managed/managed-resource.ts";
import { DomainError, type FieldText } from "#shared/kernel/domain-error.ts";
import { CouponModel, OfferModel } from "./offer.model.ts";
import { isBelowCost, type OfferTerms } from "./offer-value.ts";
import { offersMax } from "./offers.queries.ts";

const countryCode = () =>
  Joi.string()
    .pattern(/^[A-Z]{2}$/, "a country code of two capital letters")
    .example("IN");

/** Offers of coin packages. Each user gets the best that is open to them. */
export const managedOffers: ManagedResource = {
  resource: "offers",
  name: "offer",
  one: "an offer",
  many: "offers",
  model: OfferModel,
  fields: {
    name: line(1, 60, "Happy hour"),
    kind: oneOf(...offerKinds).description(
      "`first_purchase`: for users who have never bought coins. `happy_hours`: at `hours`, or from `starts_at` to `ends_at`. `coupon`: for those who enter one of its coupons. `campaign`: for all, until `ends_at`.",
    ),
    bonus_percent: integer(0, 500, 20).description(
      "Coins to add, in percent of all coins of the package, rounded down.",
    ),
    bonus_coins: integer(0, 1_000_000_000, 0),
    discount_percent: integer(0, 90, 0).description(
      "What is taken off the price, in percent. Not in the stores of Apple and Google, whose prices are fixed.",
    ),
    package_ids: listOf(id(exampleIds.coinPackage)).max(100).unique().description("Empty: all."),
    countries: listOf(countryCode()).max(250).unique().description("Empty: all."),
    user_ids: listOf(id()).max(1000).unique().description("Empty: all.").example([]),
    new_user_days: nullable(integer(1, 3650, 7))
      .description("Only for accounts that are not older than this.")
      .example(null),
    starts_at: nullable(plainTime("2026-01-01T00:00:00.000Z")),
    ends_at: nullable(plainTime("2026-02-01T00:00:00.000Z")).description("Exclusive. After `starts_at`."),
    hours: nullable(happyHours),
    total_limit: nullable(integer(1, 1_000_000_000, 1000)).description("How many orders get it."),
    person_limit: nullable(integer(1, 100_000, 1)).description("How many orders of a user get it. Null: any number."),
  },
  defaults: {
    bonus_percent: 0,
    bonus_coins: 0,
    discount_percent: 0,
    package_ids: [],
    countries: [],
    user_ids: [],
    new_user_days: null,
    starts_at: null,
    ends_at: null,
    hours: null,
    total_limit: null,
    person_limit: 1,
  },
  shown: { used: count(12) },
  check: wrongOffer,
  changed: assertFewEnough,
  search: ["name"],
  filters: { kind: oneOf(...offerKinds) },
  sorts: ["name", "used", "created_at"],
  exampleId: exampleIds.offer,
};

async function wrongOffer(values: Readonly<Record<string, unknown>>): Promise<FieldText | undefined> {
  const offer = values as unknown as OfferTerms &
    Readonly<Record<"starts_at" | "ends_at" | "hours" | "kind", string | null>>;
  if (offer.bonus_percent + offer.bonus_coins + offer.discount_percent === 0)
    return { field: "bonus_percent", text: "An offer must add coins or lower the price" };
  if (offer.starts_at && offer.ends_at && Date.parse(offer.starts_at) >= Date.parse(offer.ends_at))
    return { field: "ends_at", text: "ends_at must be after starts_at" };
  if (offer.kind === "happy_hours" && !offer.hours && !offer.ends_at)
    return { field: "hours", text: "Happy hours must have hours or an end" };
  if (offer.kind === "campaign" && !offer.ends_at) return { field: "ends_at", text: "A campaign must have an end" };
  return wrongPackages(offer);
}

interface PackageRow {
  readonly id: string;
  readonly name: string;
  readonly credit: number;
  readonly price: number;
  readonly currency: string;
}

async function wrongPackages(offer: OfferTerms): Promise<FieldText | undefined> {
  const packages = await query<PackageRow>(
    `SELECT id, name, coins + bonus_coins AS credit, price, currency FROM coin_packages
     WHERE retired_at IS NULL AND ($1::text[] = '{}' OR id::text = ANY ($1))`,
    [offer.package_ids],
  );
  if (packages.length < offer.package_ids.length) return { field: "package_ids", text: "{{field}} doesn't exist" };
  const cheap = packages.find(({ credit, price, currency }) => {
    const bonus = Math.floor((credit * offer.bonus_percent) / 100) + offer.bonus_coins;
    return isBelowCost(Math.ceil((price * (100 - offer.discount_percent)) / 100), credit + bonus, currency);
  });
  return (
    cheap && {
      field: offer.discount_percent > 0 ? "discount_percent" : "bonus_percent",
      text: "The coins of {{name}} would cost less than the setting lowest_coin_prices allows in {{currency}}",
      values: { name: cheap.name, currency: cheap.currency },
    }
  );
}

/** @throws CONFLICT with more offers than every order can be compared with */
async function assertFewEnough(tx: Tx): Promise<void> {
  const [{ open } = { open: 0 }] = await tx.query<{ open: number }>(
    "SELECT count(*) AS open FROM offers WHERE retired_at IS NULL AND (ends_at IS NULL OR ends_at > now())",
  );
  if (open > offersMax)
    throw new DomainError("CONFLICT", "There can be at most {{count}} offers at once. Retire one first.", {
      values: { count: offersMax },
    });
}

/** The codes of offers of the kind `coupon`. */
export const managedCoupons: ManagedResource = {
  resource: "coupons",
  name: "coupon",
  one: "a coupon",
  many: "coupons",
  model: CouponModel,
  fields: {
    offer_id: id(exampleIds.offer),
    name: line(1, 60, "Flyers of the Onam fair").description("Where it is given out."),
    code: couponCode(),
    claims_max: nullable(integer(1, 1_000_000_000, 1)).description("How many users can enter it. Null: any number."),
  },
  defaults: { claims_max: null },
  shown: { claims: count(0) },
  check: async ({ offer_id }) => {
    const offer = await OfferModel.read({ id: String(offer_id) }, ["kind"]);
    return !offer || offer.kind === "coupon"
      ? undefined
      : { field: "offer_id", text: "The offer must be of the kind coupon" };
  },
  search: ["name", "code"],
  filters: { offer_id: id(exampleIds.offer) },
  sorts: ["name", "code", "claims", "created_at"],
  exampleId: exampleIds.coupon,
};
