import type { Permission } from "#shared/contracts/permissions.ts";
import { managedRules } from "#shared/domain/base/filter/managed-rules.ts";
import { listManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedResource, RecordId } from "#shared/domain/base/managed/managed-resource.ts";
import { managedPolicyTexts } from "#shared/domain/base/policies/managed-policy-texts.ts";
import { managedStickerPacks, managedStickers } from "#shared/domain/base/stickers/managed-stickers.ts";
import { managedCatalogueCampaigns } from "#shared/domain/catalogue/products/managed-campaigns.ts";
import { managedCardServices, managedCards } from "#shared/domain/catalogue/products/managed-cards.ts";
import { managedCategories } from "#shared/domain/catalogue/products/managed-categories.ts";
import { managedGateways } from "#shared/domain/catalogue/products/managed-gateways.ts";
import { managedServices, managedTopUps } from "#shared/domain/catalogue/products/managed-top-ups.ts";
import { managedReviews } from "#shared/domain/catalogue/reviews/managed-reviews.ts";
import { managedAgencies } from "#shared/domain/money/agencies/managed-agencies.ts";
import { managedAgencyPlans } from "#shared/domain/money/agencies/managed-agency-plans.ts";
import { managedGiftCategories, managedGifts } from "#shared/domain/money/gifts/managed-gifts.ts";
import { managedCoupons, managedOffers } from "#shared/domain/money/offers/managed-offers.ts";
import { managedCoinPackages } from "#shared/domain/money/payments/managed-coin-packages.ts";
import { managedPayoutMethods } from "#shared/domain/money/payouts/managed-payout-methods.ts";
import { managedStoreProducts } from "#shared/domain/money/purchases/managed-store-products.ts";
import { managedSellers } from "#shared/domain/money/sellers/managed-sellers.ts";
import { managedSplitPlans } from "#shared/domain/money/splits/managed-split-plans.ts";
import { managedFrames, managedVipPlans } from "#shared/domain/money/store/managed-store.ts";
import { managedAdjustments } from "#shared/domain/operations/adjustments/managed-adjustments.ts";
import { managedAdmins, managedRoles } from "#shared/domain/operations/admins/managed-admins.ts";
import { managedBroadcasts } from "#shared/domain/operations/broadcasts/managed-broadcasts.ts";
import { listRoomsByName } from "#shared/domain/operations/moderation/rooms.queries.ts";
import { listUsers } from "#shared/domain/operations/moderation/users.queries.ts";
import { managedTickets } from "#shared/domain/operations/tickets/managed-tickets.ts";
import { managedCampaigns } from "#shared/domain/social/campaigns/managed-campaigns.ts";

/** A kind of record that administrators find by an ID, and by a name if it has `search`. */
export interface Kind {
  readonly type: string;
  readonly permission: Permission;
  /** SQL: the rows as `t`. */
  readonly from: string;
  readonly idType: "uuid" | "integer";
  /** SQL: the ID that is looked up. */
  readonly key: string;
  /** SQL: the ID of the record that is shown, such as the room of a message. */
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  /** The shortest part of a name that is searched for. */
  readonly searchMin: number;
  /** Returns the IDs of the first that a part of a name finds. */
  readonly search?: (q: string) => Promise<readonly RecordId[]>;
}

/** The most that a name finds of each kind. */
export const foundOfKindMax = 5;
const firstPage = { page: 1, limit: foundOfKindMax };

const idsOf = ({ items }: { readonly items: readonly { readonly id: RecordId }[] }) => items.map(({ id }) => id);

type Own = Pick<Kind, "type" | "permission" | "from" | "name"> & Partial<Kind>;

const kind = (own: Own): Kind => ({
  idType: "uuid",
  key: "t.id",
  id: "t.id",
  detail: "''",
  searchMin: 2,
  ...own,
});

/** Large tables are searched by trigrams. */
const trigram = 3;

const managedKind = (managed: ManagedResource, { name = `t.${managed.search[0]}`, detail = "''" } = {}): Kind =>
  kind({
    type: managed.name,
    permission: managed.listed?.permission ?? `${managed.resource}.read`,
    from: `${String(managed.model.getTableName())} t`,
    idType: typeof managed.exampleId === "number" ? "integer" : "uuid",
    name,
    detail,
    search: async (q) => idsOf(await listManaged(managed, { q }, firstPage)),
  });

const beginning = (column: string): string => `left(${column}, 120)`;

/** What has no name is named after whose it is. */
const ofUser = "t JOIN users u ON u.id = t.user_id";

const people: readonly Kind[] = [
  kind({
    type: "user",
    permission: "users.read",
    from: "users t",
    name: "t.full_name",
    detail: "'@' || t.username",
    search: async (q) => idsOf(await listUsers({ q }, firstPage)),
  }),
  ...["sessions", "api_keys"].map((table) =>
    kind({
      type: "user",
      permission: "users.read",
      from: `${table} ${ofUser}`,
      id: "u.id",
      name: "u.full_name",
      detail: "'@' || u.username",
    }),
  ),
  managedKind(managedAdmins, { name: "t.full_name", detail: "t.email" }),
  managedKind(managedRoles),
];

const social: readonly Kind[] = [
  kind({
    type: "room",
    permission: "rooms.read",
    from: "rooms t",
    name: "t.name",
    detail: "t.status",
    searchMin: trigram,
    search: async (q) => idsOf(await listRoomsByName(q, firstPage)),
  }),
  kind({
    type: "room",
    permission: "rooms.read",
    from: "room_messages t JOIN rooms r ON r.id = t.room_id",
    id: "r.id",
    name: "r.name",
    detail: "r.status",
  }),
  kind({ type: "report", permission: "reports.read", from: "reports t", name: "t.reason", detail: "t.status" }),
  kind({
    type: "post",
    permission: "posts.read",
    from: "posts t",
    name: beginning("t.content"),
    detail: "t.status",
  }),
  kind({ type: "comment", permission: "posts.read", from: "post_comments t", name: beginning("t.content") }),
  { ...managedKind(managedTickets, { detail: "t.email" }), searchMin: trigram },
  { ...managedKind(managedBroadcasts, { detail: "t.status" }), searchMin: trigram },
  managedKind(managedCampaigns),
  managedKind(managedPolicyTexts, { detail: "t.key" }),
];

const money: readonly Kind[] = [
  kind({ type: "order", permission: "orders.read", from: "payment_orders t", name: "t.title", detail: "t.status" }),
  kind({
    type: "gift_transaction",
    permission: "transactions.read",
    from: "gift_transactions t JOIN gifts g ON g.id = t.gift_id",
    name: "g.name",
    detail: "'× ' || t.quantity",
  }),
  kind({
    type: "ledger_transaction",
    permission: "transactions.read",
    from: "ledger_movements t",
    name: beginning("t.description"),
  }),
  {
    ...managedKind(managedAdjustments, { detail: "t.status" }),
    from: "(SELECT * FROM balance_adjustments WHERE asset = 'coins') t",
    searchMin: trigram,
  },
  kind({
    type: "catalogue_balance_adjustment",
    permission: "catalogue_balances.read",
    from: "(SELECT * FROM balance_adjustments WHERE asset <> 'coins') t",
    name: "t.reason",
    detail: "t.status",
  }),
  managedKind(managedGifts),
  managedKind(managedGiftCategories),
  managedKind(managedStickerPacks),
  managedKind(managedStickers),
  managedKind(managedRules),
  managedKind(managedCoinPackages),
  managedKind(managedStoreProducts, { name: "t.product_id", detail: "t.store" }),
  managedKind(managedOffers, { detail: "t.kind" }),
  managedKind(managedAgencies, { detail: "t.status" }),
  managedKind(managedAgencyPlans),
  managedKind(managedSellers),
  managedKind(managedSplitPlans),
  managedKind(managedPayoutMethods),
  managedKind(managedCoupons, { detail: "t.code" }),
  managedKind(managedFrames),
  managedKind(managedVipPlans),
];

const catalogue: readonly Kind[] = [
  kind({
    type: "catalogue_order",
    permission: "catalogue_orders.read",
    from: "catalogue_orders t",
    idType: "integer",
    name: "t.product_name",
    detail: "t.status",
  }),
  managedKind(managedTopUps),
  managedKind(managedCards),
  managedKind(managedServices),
  managedKind(managedCardServices),
  managedKind(managedCatalogueCampaigns),
  managedKind(managedCategories),
  managedKind(managedGateways),
  // No index finds a part of a comment.
  { ...managedKind(managedReviews, { name: beginning("t.comment") }), searchMin: Number.POSITIVE_INFINITY },
];

/** All kinds, in the order in which results are listed. */
export const kinds: readonly Kind[] = [...people, ...social, ...money, ...catalogue];
