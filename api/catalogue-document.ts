import type { ApiDocument } from "./http/api.ts";

const introduction = `The catalogue of game top-ups and gift cards, for programs of resellers.

**Authentication.** Apply as a customer with \`POST /api/v1/users/me/catalogue-customer\` of the app's API. Once the operator
has approved you, create a key pair on the page \`/account/api-keys\`, or with \`POST /api/v1/users/me/api-keys\`. Exchange it for a bearer token
with \`POST /generate/authorization-token\`, and send the token in the header \`Authorization\`, alone or after the word
\`Bearer\`. A token works for 24 hours.

**Responses.** All responses are JSON: \`{ "status": "success", "message": … }\`, or \`{ "status": "failed", "errors": … }\`. The
status is 401 without a valid token, 404 for what doesn't exist, 429 for too many requests, and 422 for everything else that
is wrong with a request. After a validation failure, \`errors\` is a list with \`The <label> field is required.\` for each field that
is missing or invalid, and \`The <label> field must be a whole number.\` for one with decimals, in the order of the form.

**Bodies.** Send multipart forms, URL-encoded forms, or JSON. A field that is sent twice is invalid, and files are refused.

**Paying.** An order says in \`payment\` how it is paid. \`postpaid\`: it is due in 30 days; only within the credit
limit that the operator set for you in its currency. \`prepaid\`: its total was taken from your
balance in its currency when it was placed, and goes back once if it is cancelled. If the balance is insufficient, the
status is 422 and no order is placed. Deposit money with \`POST /balance/deposits\`; each currency has a balance of its own.
If a deposit is refunded after its money was spent, the rest is a debt, which your next deposits pay first.
\`GET /balance\` shows your limit and what is due. An overdue order is paid from your balance; while the balance is
insufficient, you can't place others. To refuse a price that has changed, send the total that you have seen as
\`expected_price\`.

**Orders.** An order is \`placed\`, then \`processing\` while a provider delivers it, and then \`completed\`, or \`cancelled\` with a
reason. Read its status with \`GET /orders/:id\`, or let your server hear of it: create a webhook with
\`POST /api/v1/users/me/webhooks\` of the app's API. A completed order of a card has a code, which \`POST /orders/:id/code\`
shows to one idempotency key. A code that is reserved for an open order for 72 hours goes back, and the order is cancelled.

**Formats.** IDs are integers, flags are 1 or 0, and times are ISO 8601 in UTC with microseconds. Descriptions and guides are
HTML without scripts and styles. Prices are numbers; amounts of balances are text with the decimal places of their currency, such as \`"12.50"\`. Discounts are rounded half up to the smallest amount of the currency, and never exceed the price.`;

/** The document of the catalogue API, except for its operations. */
export const catalogueDocument: ApiDocument = {
  file: "catalogue/openapi.json",
  title: "Hubbub catalogue",
  introduction,
  tags: {
    Token: "Bearer tokens for API keys.",
    Catalogue: "Categories, top-ups, and their services.",
    Cards: "Gift cards.",
    Balances: "Prepaid balances of resellers: deposits, movements, and statements.",
    Orders: "Orders of top-ups and cards.",
    Reviews: "Ratings and comments of customers.",
  },
};
