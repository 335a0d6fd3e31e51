import { exampleIds } from "#shared/contracts/examples.ts";
import { id, integer, object, pageOf, pageQuery } from "#shared/contracts/fields.ts";
import { orderToPay, seller, sellerTransfer } from "#shared/contracts/views.ts";
import { orderStock, passOnCoins } from "#shared/domain/money/sellers/pass-on-coins.ts";
import { getSeller, listTransfers } from "#shared/domain/money/sellers/sellers.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";

const route = routeOf("Sellers", "user");

export const sellersRoutes = (): Route[] => [
  route({
    id: "getSeller",
    method: "get",
    path: "/sellers/me",
    extension: true,
    summary: "Get your stock",
    description: "What you can pass on as a coin seller, your limits, and your discount.",
    response: seller,
    errors: ["NOT_FOUND"],
    handler: ({ caller }) => getSeller(caller.userId),
  }),
  route({
    id: "orderStock",
    method: "post",
    path: "/sellers/me/orders",
    blocks: "none",
    extension: true,
    summary: "Order stock",
    description: "Creates an order of a coin package at your discount. Once it is paid, its coins are in your stock.",
    idempotent: true,
    body: object({ package_id: id(exampleIds.coinPackage) }).meta({ name: "OrderStockBody" }),
    response: orderToPay,
    status: 201,
    errors: ["FORBIDDEN", "NOT_FOUND", "PURCHASE_LIMITED", "ORDER_NOT_PAYABLE"],
    handler: ({ caller, body, idempotency }) => orderStock(caller, body.package_id, idempotency),
  }),
  route({
    id: "passOnCoins",
    method: "post",
    path: "/sellers/me/transfers",
    blocks: "shared",
    summary: "Pass on coins",
    description: "Gives coins of your stock to a user, within your limits of 24 hours.",
    idempotent: true,
    body: object({
      user_id: id(exampleIds.grace),
      coins: integer(1, 1_000_000_000, 500),
    }).meta({ name: "PassOnCoinsBody" }),
    response: sellerTransfer,
    status: 201,
    errors: ["FORBIDDEN", "NOT_FOUND", "INSUFFICIENT_BALANCE"],
    handler: ({ caller, body, idempotency }) => passOnCoins(caller, body, idempotency),
  }),
  route({
    id: "listSellerTransfers",
    method: "get",
    path: "/sellers/me/transfers",
    extension: true,
    summary: "List transfers of sellers",
    description: "What you have passed on as a seller, and got from sellers, newest first.",
    query: object(pageQuery),
    response: pageOf(sellerTransfer),
    handler: ({ caller, query }) => listTransfers(caller.userId, query),
  }),
];
