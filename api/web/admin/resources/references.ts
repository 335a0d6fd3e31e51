/** Where the records of each kind are listed. Their own pages are below, unless the value says otherwise. */
export const pathOfType: Readonly<Record<string, string>> = {
  user: "/users",
  admin: "/admins",
  role: "/roles",
  room: "/rooms",
  report: "/reports",
  voice_evidence: "/voice-evidence",
  post: "/posts",
  ticket: "/tickets",
  broadcast: "/notifications",
  event: "/events",
  seller: "/sellers",
  seller_transfer: "/seller-transfers",
  payout: "/payouts",
  payout_method: "/payout-methods",
  payout_batch: "/payout-batches",
  kyc_case: "/kyc-cases",
  order: "/orders",
  payment_finding: "/payment-findings",
  adjustment: "/adjustments",
  gift: "/gifts",
  gift_category: "/gift-categories",
  agency: "/agencies",
  contract: "/contracts",
  agency_plan: "/agency-plans",
  run: "/runs",
  run_line: "/run-lines",
  sticker_pack: "/sticker-packs",
  sticker: "/stickers",
  rule: "/rules",
  policy_text: "/policy-texts",
  sanction: "/sanctions",
  appeal: "/appeals",
  coin_package: "/coin-packages",
  offer: "/offers",
  coupon: "/coupons",
  frame: "/frames",
  vip_plan: "/vip-plans",
  catalogue_order: "/catalogue/orders",
  catalogue_top_up: "/catalogue/top-ups",
  catalogue_card: "/catalogue/cards",
  catalogue_service: "/catalogue/services",
  catalogue_card_service: "/catalogue/card-services",
  catalogue_campaign: "/catalogue/campaigns",
  catalogue_category: "/catalogue/categories",
  catalogue_gateway: "/catalogue/gateways",
  catalogue_review: "/catalogue/reviews",
};

const types: Readonly<Record<string, string>> = {
  user: "user",
  users: "user",
  target_user: "user",
  host: "user",
  owner: "user",
  agency: "agency",
  contract: "contract",
  run: "run",
  author: "user",
  seller: "user",
  recipient: "user",
  reporter: "user",
  claimed_by: "admin",
  closed_by: "admin",
  requested_by: "admin",
  decided_by: "admin",
  approved_by: "admin",
  first_approved_by: "admin",
  resolved_by: "admin",
  created_by: "admin",
  updated_by: "admin",
  changed_by: "user",
  actor: "admin",
  admin: "admin",
  role: "role",
  room: "room",
  current_room: "room",
  post: "post",
  package: "coin_package",
  coin_package: "coin_package",
  plan: "vip_plan",
  vip_plan: "vip_plan",
  gift: "gift",
  rule: "rule",
  report: "report",
  sanction: "sanction",
  pack: "sticker_pack",
  order: "order",
  offer: "offer",
  payout: "payout",
  method: "payout_method",
  batch: "payout_batch",
};

const catalogueTypes: Readonly<Record<string, string>> = {
  order: "catalogue_order",
  top_up: "catalogue_top_up",
  card: "catalogue_card",
  service: "catalogue_service",
  campaign: "catalogue_campaign",
  category: "catalogue_category",
};

/** Kinds of what an entry is about, as its own field names them. */
const typedBy: Readonly<Record<string, string>> = {
  target_id: "target_type",
  reference_id: "reference_type",
  principal_id: "principal_kind",
  actor_id: "actor_kind",
};

/**
 * Returns the kind of record that a field refers to; undefined if it isn't a reference.
 * @param path of the list or the record, such as `/catalogue/cards`
 * @param record whose field it is, if it is known: some refer to what another of their fields names
 */
export function typeOfField(
  field: string,
  path: string,
  record: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const by = typedBy[field];
  if (by && typeof record[by] === "string") return record[by] in pathOfType ? record[by] : undefined;
  const name = field.replace(/_ids?$/, "");
  if (name === field && !field.endsWith("_by")) return undefined;
  if (path.startsWith("/catalogue/")) {
    if (name === "service" && record.card_id) return "catalogue_card_service";
    const found = catalogueTypes[name];
    if (found) return found;
  }
  return name === "category" ? "gift_category" : types[name];
}

/** What a record is called, by the first of these that it has. */
const nameFields = ["full_name", "name", "title", "product_name", "subject", "email", "reason", "content", "comment"];

/** Returns the field that names a record of a list. */
export const nameFieldOf = (fields: readonly { readonly name: string }[]): string =>
  nameFields.find((name) => fields.some((field) => field.name === name)) ?? "id";

/** Returns what a record is called. */
export function nameOfRecord(record: Readonly<Record<string, unknown>>): string {
  const name = nameFields.map((field) => record[field]).find((value) => typeof value === "string" && value !== "");
  return typeof name === "string" ? shortened(name) : `#${String(record.id ?? "").slice(0, 8)}`;
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
