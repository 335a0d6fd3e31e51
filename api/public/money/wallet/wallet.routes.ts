import { pageOf } from "#shared/contracts/fields.ts";
import { ledgerEntry, wallet } from "#shared/contracts/views.ts";
import { listEntries } from "#shared/domain/money/ledger/ledger.queries.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { entriesQuery } from "./wallet.schemas.ts";

const route = routeOf("Wallet", "user");

export const walletRoutes = (): Route[] => [
  route({
    id: "getWallet",
    method: "get",
    path: "/wallet",
    summary: "Get your wallet",
    description:
      "Returns your balance in coins, including all completed transactions, and your debt. A debt arises if an order is refunded after its coins were spent: the refund takes what the wallet holds, and the rest is owed. The coins that you buy next pay it first, as a debit of the type `refund`; other credits don't reduce it.",
    response: wallet,
    handler: ({ caller }) => getWallet(caller.userId),
  }),
  route({
    id: "listWalletTransactions",
    method: "get",
    path: "/wallet/transactions",
    summary: "List wallet transactions",
    description:
      "Lists every credit and debit of your wallet, newest first. Each entry has its cause and the balance after it.",
    query: entriesQuery,
    response: pageOf(ledgerEntry),
    handler: ({ caller, query }) => listEntries(caller.userId, query),
  }),
];
