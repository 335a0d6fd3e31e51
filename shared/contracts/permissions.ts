/** A resource of the admin API, named as in its paths, with `_` for `-`. */
type Resource =
  | "users"
  | "rooms"
  | "reports"
  | "gifts"
  | "gift_categories"
  | "coin_packages"
  | "frames"
  | "vip_plans"
  | "events"
  | "orders"
  | "transactions"
  | "notifications"
  | "posts"
  | "settings"
  | "roles"
  | "admins"
  | "audit_logs"
  | "tickets"
  | "health"
  | "charts"
  | "catalogue";

/** What a role may allow an administrator to do. */
export type Permission =
  | `${Resource}.${"read" | "write"}`
  | "users.suspend"
  | "users.adjust_balance"
  | "dashboard.read"
  | "system.maintenance";
