import { textRules } from "./docs/text-rules.ts";
import { extensionTags } from "./extensions.ts";
import type { ApiDocument } from "./http/api.ts";

const introduction = `The API of the administrators.

**Authentication.** Log in with \`POST /login\` and send \`Authorization: Bearer <token>\` with each request. Admin tokens expire
after 60 minutes. The tokens of users don't work here, and admin tokens don't work in the API of users.

**Permissions.** Each operation requires a permission, which the administrator's role must have. It is checked on each call,
so changing a role takes effect immediately.

**Audit log.** Every change is written to the audit log in the same transaction, and so are logins and calls that
fail with FORBIDDEN, but no other failures. Entries contain IDs instead of personal data.

**Formats.** As in the API of users: JSON in an envelope, times in UTC, unknown fields rejected. ${textRules}`;

/** The document of the admin API, except for its operations. */
export const adminDocument: ApiDocument = {
  file: "admin.openapi.json",
  title: "Hubbub Admin",
  introduction,
  tags: {
    Access: "Login, sessions, and your own account.",
    Administrators: "Roles, and the administrators who have them.",
    Users: "Accounts: details, suspension, sessions, and verified addresses.",
    Rooms: "Voice rooms, with what is live in them.",
    Reports: "What users reported, with evidence, and what was done about it.",
    Posts: "Posts and comments: hide, show, and remove them.",
    Gifts: "The gift catalog and its categories.",
    Balances: "Adjustments of users' balances, and their approval.",
    Agencies: "Agencies, their contracts with hosts, and the hosts' targets.",
    Runs: "Settlements of what hosts and agencies get for a period.",
    Payouts: "Earnings paid out as money, who may be paid, and how.",
    Sellers: "Coin sellers, and what they pass on.",
    Orders: "Purchases with money, and their refunds.",
    Transactions: "The ledger of coins.",
    Settings: "What administrators change while the service runs.",
    Support: "Tickets, and their answers.",
    Notifications: "Broadcasts: notifications to many users.",
    Store: "Coin packages, frames, and VIP plans.",
    Sanctions: "What users may not do for a while, and their appeals.",
    "Review queue": "What rules have held, and what users have reported.",
    Rules: "What people may not write.",
    Stickers: "Packs of stickers for messages.",
    Media: "Uploaded art.",
    "Audit log": "Who changed what.",
    Search: "Records of all kinds by a name or an ID.",
    Statistics: "The dashboard and its charts.",
    "Event endpoints": "Your servers that hear of what happens.",
    "HTTP hooks": "Your servers that are asked before something happens.",
    "Server keys": "Your servers that call this API, and act as bots.",
    Operations: "Health, dead letters, and maintenance.",
    Catalogue: "Top-ups, gift cards with their codes, services, campaigns, payment gateways, orders, and reviews.",
    Events: "Campaigns that the app announces.",
    ...extensionTags("administrators"),
  },
};
