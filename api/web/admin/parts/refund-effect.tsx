import { useCan } from "../account.tsx";
import { type DataOf, useRead } from "../data.ts";
import { t } from "../texts.ts";
import { Async } from "./async.tsx";
import { formatMoney, formatNumber } from "./format.ts";

/** What the refund of an order gives back, what it takes, and what the user will owe. */
export function RefundEffect({ id }: { readonly id: string }) {
  return (
    <Async of={useRead("getOrder", { params: { id } })} lines={2}>
      {(order) => <Effect of={order} />}
    </Async>
  );
}

function Effect({ of: { user_id, currency, coins, payments } }: { readonly of: DataOf<"getOrder"> }) {
  const canSee = useCan()("users.read");
  const user = useRead("getUser", { params: { id: user_id } }, { enabled: canSee }).data;
  const settling = payments.find(({ settles }) => settles);
  if (!settling) return t("refund.unpaid");
  const money = formatMoney(settling.amount - settling.refunded_amount, currency);
  const taken = coins - settling.refunds.reduce((sum, refund) => sum + refund.coins, 0);
  const given = user ? t("refund.to", { money, name: user.full_name }) : t("refund.money", { money });
  if (coins === 0) return `${given} ${t("refund.other")}`;
  if (!user) return `${given} ${t("refund.coins", { coins: formatNumber(taken) })}`;
  const { balance } = user.wallet;
  const debt = Math.max(0, taken - balance);
  const owed = debt === 0 ? t("refund.no_debt") : t("refund.debt", { debt: formatNumber(debt) });
  return `${given} ${t("refund.coins", { coins: formatNumber(taken) })} ${t("refund.balance", { balance: formatNumber(balance) })} ${owed}`;
}
