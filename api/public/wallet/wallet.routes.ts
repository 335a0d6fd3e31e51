import { pageOf } from "#shared/contracts/fields.ts";
import { ledgerEntry } from "#shared/contracts/views.ts";
import { type EntryFilter, listEntries, walletBalance } from "#shared/domain/ledger/ledger.queries.ts";
import { type Route, route } from "../../http/route.ts";
import { entriesQuery, wallet } from "./wallet.schemas.ts";

export const walletRoutes = (): Route[] => [
  route({
    method: "get",
    path: "/wallet",
    tag: "Wallet",
    summary: "Your balance",
    auth: "user",
    response: wallet,
    handler: async ({ caller }) => ({ balance: await walletBalance(caller.userId) }),
  }),
  route<object, EntryFilter>({
    method: "get",
    path: "/wallet/transactions",
    tag: "Wallet",
    summary: "What changed your balance, newest first",
    auth: "user",
    query: entriesQuery,
    response: pageOf(ledgerEntry),
    handler: ({ caller, query }) => listEntries(caller.userId, query),
  }),
];
