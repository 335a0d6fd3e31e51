/** The resources of the admin API, named as in its paths, with `_` for `-`. */
const resources = [
  "users",
  "rooms",
  "reports",
  "gifts",
  "gift_categories",
  "coin_packages",
  "frames",
  "vip_plans",
  "events",
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

export type Resource = (typeof resources)[number];

const special = ["users.suspend", "users.adjust_balance", "dashboard.read", "system.maintenance"] as const;

/** What a role may allow an administrator to do. */
export type Permission = `${Resource}.${"read" | "write"}` | (typeof special)[number];

export const permissions: readonly Permission[] = [
  ...resources.flatMap((resource) => [`${resource}.read`, `${resource}.write`] as const),
  ...special,
];

/** The role with all permissions, including those of later releases. It can't be changed. */
export const superAdminRole = "super_admin";

/** What an operation requires. `none`: it concerns only the administrator's own account. */
export type RequiredPermission = Permission | "none";
