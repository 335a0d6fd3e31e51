import {
  balance,
  balanceMovement,
  deposit,
  depositToPay,
  statement,
  statementColumns,
} from "#shared/contracts/catalogue-balance-views.ts";
import { pagedOf } from "#shared/contracts/catalogue-order-views.ts";
import { listOf, object } from "#shared/contracts/fields.ts";
import { findDeposit, listBalances, listMovements } from "#shared/domain/catalogue/balances/balances.queries.ts";
import { orderDeposit } from "#shared/domain/catalogue/balances/order-deposit.ts";
import { readStatement, statementLines } from "#shared/domain/catalogue/balances/statements.ts";
import { topUpsPerPage } from "#shared/domain/catalogue/products/catalogue.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Route, routeOf } from "../http/route.ts";
import { toBalance, toDeposit, toMovement, toStatement } from "./balances.presenter.ts";
import { depositParams, movementsQuery, orderDepositBody, statementQuery } from "./balances.schemas.ts";
import { idempotencyField } from "./catalogue.schemas.ts";
import { toPaged } from "./paged.ts";

const balances = routeOf("Balances", "key_holder");

const depositOf = async (userId: string, id: string) => {
  const found = await findDeposit(userId, id);
  if (!found) throw new DomainError("NOT_FOUND");
  return toDeposit(found);
};

/** The prepaid balances of the owner of the keys. All are extensions. */
export const balancesRoutes = (): Route[] => [
  balances({
    id: "listBalances",
    method: "get",
    path: "/balance",
    summary: "List your balances",
    description:
      "Returns your prepaid balances and your credit, one for each currency that you had money or credit in.",
    extension: true,
    response: object({ balances: listOf(balance) }).meta({ name: "BalanceList" }),
    handler: async ({ caller }) => ({ balances: (await listBalances(caller.userId)).map(toBalance) }),
  }),
  balances({
    id: "listMovements",
    method: "get",
    path: "/balance/movements",
    summary: "List a balance's entries",
    description:
      "Returns what changed your balance in a currency, the newest first, 10 on a page: deposits and their refunds, orders and their refunds, and adjustments by an administrator.",
    extension: true,
    query: movementsQuery,
    response: pagedOf(balanceMovement, "MovementPage"),
    handler: async ({ caller, query: { currency, page } }) => {
      const listed = await listMovements(caller.userId, currency, { page, limit: topUpsPerPage });
      const items = listed.items.map(toMovement);
      return toPaged({ path: "/balance/movements", query: { currency } }, { ...listed, items });
    },
  }),
  balances({
    id: "orderDeposit",
    method: "post",
    path: "/balance/deposits",
    summary: "Deposit money",
    description:
      "Creates a deposit and opens it at the payment provider. Pay it with `providerPayload`; the balance is credited when the provider reports the payment. The currency must be one that something is sold in, and the amount a whole number of its smallest unit. A deposit expires after 30 minutes, but a later payment is still accepted. If the provider doesn't respond, repeat the call with the same `Idempotency-Key`.",
    extension: true,
    rateLimit: { points: 30, seconds: 60, by: "key_holder" },
    idempotent: true,
    idempotencyField,
    body: orderDepositBody,
    response: depositToPay,
    errors: ["ORDER_NOT_PAYABLE", "PURCHASE_LIMITED", "RATE_LIMITED"],
    handler: async ({ caller, body, idempotency }) => {
      const { order, providerPayload } = await orderDeposit(caller, body, idempotency);
      return { deposit: await depositOf(caller.userId, order.id), providerPayload };
    },
  }),
  balances({
    id: "getDeposit",
    method: "get",
    path: "/balance/deposits/:id",
    summary: "Get your deposit",
    extension: true,
    params: depositParams,
    response: object({ deposit }).meta({ name: "DepositEntry" }),
    handler: async ({ caller, params: { id } }) => ({ deposit: await depositOf(caller.userId, id) }),
  }),
  balances({
    id: "getStatement",
    method: "get",
    path: "/balance/statement",
    summary: "Get a monthly statement",
    description:
      "Returns your balances at the start and the end of a month, in UTC or the given time zone. `/balance/statement.csv` downloads it with every movement in between.",
    extension: true,
    rateLimit: { points: 20, seconds: 60, by: "key_holder" },
    query: statementQuery,
    response: statement,
    csv: {
      fileName: "statement",
      columns: statementColumns,
      rows: ({ caller, query: { month, time_zone } }) => statementLines(caller.userId, { month, time_zone }),
    },
    handler: async ({ caller, query: { month, time_zone } }) =>
      toStatement({ month, time_zone }, await readStatement(caller.userId, { month, time_zone })),
  }),
];
