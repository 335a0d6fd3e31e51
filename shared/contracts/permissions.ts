import { extended } from "#shared/kernel/extended.ts";

/** The resources of the admin API, named as in its paths, with `_` for `-`. */
const ours = [
  "users",
  "rooms",
  "reports",
  "gifts",
  "gift_categories",
  "split_plans",
  "agencies",
  "agency_plans",
  "runs",
  "kyc_cases",
  "payouts",
  "payout_methods",
  "sellers",
  "sticker_packs",
  "stickers",
  "coin_packages",
  "store_products",
  "offers",
  "coupons",
  "frames",
  "vip_plans",
  "events",
  "rules",
  "sanctions",
  "appeals",
  "policy_texts",
  "orders",
  "transactions",
  "notifications",
  "posts",
  "settings",
  "roles",
  "admins",
  "audit_logs",
  "tickets",
  "health",
  "charts",
  "event_endpoints",
  "http_hooks",
  "server_keys",
  "catalogue_orders",
  "catalogue_codes",
  "catalogue_categories",
  "catalogue_top_ups",
  "catalogue_services",
  "catalogue_campaigns",
  "catalogue_cards",
  "catalogue_card_services",
  "catalogue_gateways",
  "catalogue_reviews",
  "catalogue_balances",
  "catalogue_customers",
] as const;

export type Resource = (typeof ours)[number];
const resources = Object.keys(
  extended("permissions", Object.fromEntries(ours.map((resource) => [resource, true]))),
) as Resource[];

const special = [
  "users.suspend",
  "users.adjust_balance",
  "reports.listen",
  "media.upload",
  "dashboard.read",
  "system.maintenance",
] as const;

/** What a role may allow an administrator to do. */
export type Permission = `${Resource}.${"read" | "write"}` | (typeof special)[number];

export const permissions: readonly Permission[] = [
  ...resources.flatMap((resource) => [`${resource}.read`, `${resource}.write`] as const),
  ...special,
];

/** What no server key has: by these, a program could give itself more, or do what takes a person. */
const ofPeople: readonly Permission[] = ["roles.write", "admins.write", "server_keys.write", "reports.listen"];
export const serverPermissions = permissions.filter((permission) => !ofPeople.includes(permission));

/** The role with all permissions, including those of later releases. It can't be changed. */
export const superAdminRole = "super_admin";

const views = (...of: readonly Resource[]): Permission[] => of.map((resource) => `${resource}.read` as const);
const changes = (...of: readonly Resource[]): Permission[] =>
  of.flatMap((resource) => [`${resource}.read`, `${resource}.write`] as const);

/** Roles for usual jobs, with what each needs. */
export const usualRoles: Readonly<Record<string, readonly Permission[]>> = {
  moderator: [
    "dashboard.read",
    ...changes("users", "rooms", "reports", "posts", "rules", "sanctions", "appeals"),
    "users.suspend",
    ...views("tickets", "audit_logs"),
  ],
  support: ["dashboard.read", ...changes("tickets"), ...views("users", "orders", "transactions", "reports", "rooms")],
  finance: [
    "dashboard.read",
    ...changes(
      "orders",
      "coin_packages",
      "store_products",
      "offers",
      "coupons",
      "vip_plans",
      "split_plans",
      "agencies",
      "agency_plans",
      "runs",
    ),
    ...changes("kyc_cases", "payouts", "payout_methods", "sellers"),
    ...changes("catalogue_balances", "catalogue_customers"),
    "users.adjust_balance",
    ...views("users", "transactions", "charts", "catalogue_orders", "audit_logs"),
  ],
  catalogue: [
    "dashboard.read",
    "media.upload",
    ...changes(
      ...resources.filter((resource) => resource.startsWith("catalogue_") && !/balances|customers/.test(resource)),
    ),
  ],
  reader: ["dashboard.read", ...views(...resources)],
};

/** What an operation requires. `none`: it concerns only the administrator's own account. */
export type RequiredPermission = Permission | "none";
