import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { orderDeposit } from "#shared/domain/catalogue/balances/order-deposit.ts";
import { orderCard } from "#shared/domain/catalogue/orders/order-card.ts";
import { placeOrder } from "#shared/domain/catalogue/orders/place-order.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { deleteApiKey } from "#shared/domain/identity/api-keys/api-keys.ts";
import type { Outcome } from "#shared/testing/access/access-row.ts";
import { describeAccess } from "#shared/testing/access/describe-access.ts";
import { buildCard, buildReseller, buildTopUp, orderOf } from "#shared/testing/catalogue.ts";
import { callerOf } from "#shared/testing/people.ts";
import { clientOf, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../catalogue-api.ts";

/** Callers whom no operation admits, then two whom it does. */
const refused = ["revoked key", "expired token", "suspended owner", "another address", "token of the app"] as const;
const callers = [...refused, "another reseller", "owner"] as const;

const no = "UNAUTHENTICATED";
const door = (another: Outcome) => [no, no, no, no, no, another, "ok"] as const;
const anyReseller = { outcomes: door("ok") };
const shown = (query: Record<string, string>) => ({ outcomes: door("ok"), at: () => ({ query }) });

/** The statuses of the API, as the codes that they stand for. */
const codes: Record<number, Outcome> = {
  200: "ok",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  422: "VALIDATION_ERROR",
  429: "RATE_LIMITED",
};

async function buildWorld() {
  const [topUp, card] = [await buildTopUp(), await buildCard()];
  const resellers = Object.fromEntries(
    await Promise.all(callers.map(async (name) => [name, await buildReseller()] as const)),
  );
  const { owner } = resellers as { owner: Awaited<ReturnType<typeof buildReseller>> };
  const orderId = await placeOrder(owner.caller, orderOf(topUp));
  const cardOrderId = await orderCard(owner.caller, card.form);
  const { order } = await orderDeposit(owner.caller, { amount: "5", currency: "USD" });

  const keyOf = (name: (typeof refused)[number]) => resellers[name]!.key.id;
  await deleteApiKey(callerOf(resellers["revoked key"]!.owner), keyOf("revoked key"));
  await query("UPDATE api_tokens SET expires_at = now() WHERE key_id = $1", [keyOf("expired token")]);
  await suspendUser(serviceItself, resellers["suspended owner"]!.owner.id, { reason: "Spam" });
  await query("UPDATE api_keys SET allowed_addresses = '{192.0.2.1}' WHERE id = $1", [keyOf("another address")]);
  return { topUp, card: await buildCard({ codes: 2 }), orderId, cardOrderId, depositId: order.id, resellers };
}
type World = Awaited<ReturnType<typeof buildWorld>>;

describe("who may call an operation of the catalogue API", () => {
  const service = useService();
  const api = catalogueApi();
  // One world for all calls: none of them changes what another one is told.
  let built: Promise<World> | undefined;

  describeAccess({
    routes: api.routes,
    callers,
    matrix: {
      "post /generate/authorization-token": { outcomes: "UNAUTHENTICATED" },
      "get /get-category": anyReseller,
      "get /top-up/list": anyReseller,
      "get /top-up/details": { outcomes: door("ok"), at: ({ topUp }: World) => ({ query: { slug: topUp.slug } }) },
      "get /topup/services": anyReseller,
      "post /top-up/make-order": { outcomes: door("ok"), at: ({ topUp }: World) => ({ body: orderOf(topUp) }) },
      "post /card/make-order": { outcomes: door("ok"), at: ({ card }: World) => ({ body: card.form }) },
      "post /orders/:id/code": {
        outcomes: door("NOT_FOUND"),
        at: ({ cardOrderId }: World) => ({ params: { id: `${cardOrderId}` }, body: { idempotency_key: "one" } }),
      },
      "get /orders": anyReseller,
      "get /orders/:id": {
        outcomes: door("NOT_FOUND"),
        at: ({ orderId }: World) => ({ params: { id: `${orderId}` } }),
      },
      "get /topup/review": {
        outcomes: door("ok"),
        at: ({ topUp }: World) => ({ query: { top_up_id: `${topUp.id}` } }),
      },
      "post /topup/review": {
        outcomes: door("ok"),
        at: ({ topUp }: World) => ({ body: { topUpId: topUp.id, rating: 5, comment: "Good" } }),
      },
      "get /get-card": anyReseller,
      "get /card/details": {
        outcomes: door("ok"),
        at: ({ card }: World) => ({ query: { card_id: `${card.id}` } }),
      },
      "get /balance": anyReseller,
      "get /balance/movements": shown({ currency: "USD" }),
      "post /balance/deposits": { outcomes: door("ok"), at: () => ({ body: { amount: "5", currency: "USD" } }) },
      "get /balance/deposits/:id": {
        outcomes: door("NOT_FOUND"),
        at: ({ depositId }: World) => ({ params: { id: depositId } }),
      },
      "get /balance/statement": shown({ month: "2026-10" }),
    },
    call: (...call) => clientOf(service.url, api)(...call),
    build: () => {
      built ??= buildWorld();
      return built;
    },
    tokenOf: ({ resellers }, caller) =>
      caller === "token of the app" ? resellers[caller]!.owner.token : resellers[caller]!.token,
    outcomeOf: ({ status, body }) => {
      if ((status === 200) !== (body.status === "success")) return "INTERNAL_ERROR";
      return codes[status] ?? "INTERNAL_ERROR";
    },
  });
});
