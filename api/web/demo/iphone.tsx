import { useState } from "react";
import type { Order, Subscription } from "../../../shared/client/client.ts";
import { useLoaded, usePerson } from "./hooks.ts";
import { Coins } from "./icons.tsx";
import { money } from "./money.ts";
import { currentLanguage, key, t } from "./texts.ts";

type StoreEvent = "refund" | "renew" | "cancel";

/** Calls the stand-in for Apple's store: what StoreKit and Apple's server do elsewhere. */
async function atStore<T>(path: "buy" | "event", body: object): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`/demo/store/${path}.json`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`the store answered ${response.status}`);
  return (await response.json()) as T;
}

/** What the person buys as on an iPhone, what the store does afterwards, and what the service makes of it. */
export function IPhone() {
  const person = usePerson();
  const { payments } = person.hubbub;
  const { data: subscriptions, reload } = useLoaded(() => payments.subscriptions());
  const [order, setOrder] = useState<Order>();
  const act = async (call: () => Promise<unknown>) => {
    if (!(await person.attempt(call))) return;
    reload();
    await person.refresh();
  };
  const buy = (product_id: string) =>
    act(async () => {
      const bought = await atStore<{ signed_transaction: string }>("buy", { user_id: person.id, product_id });
      setOrder(await payments.apple(bought.signed_transaction));
    });
  const tell = (event: StoreEvent, of: string) =>
    act(async () => {
      await atStore("event", { event, of });
      if (event === "refund") setOrder(await payments.get(of));
    });
  return (
    <>
      <p className="quiet">
        {t("The service plays Apple's store here: it signs the purchase, and the app presents it.")}
      </p>
      <Products onBuy={(id) => void buy(id)} />
      {order && <Bought key={order.id + order.status} order={order} onRefund={() => void tell("refund", order.id)} />}
      <ul className="list">
        {subscriptions?.map((one) => (
          <Renewing key={one.id} of={one} tell={(event) => void tell(event, one.id)} />
        ))}
      </ul>
    </>
  );
}

function Products({ onBuy }: { onBuy: (productId: string) => void }) {
  const { payments, store } = usePerson().hubbub;
  const { data: packages } = useLoaded(() => payments.packages({ platform: "ios" }));
  const { data: plans } = useLoaded(() => store.vipPlans({ platform: "ios" }));
  return (
    <div className="shelf">
      {packages?.map(
        ({ id, coins, bonus_coins, price, currency, store_product_id: product }) =>
          product && (
            <button key={id} type="button" className="item" onClick={() => onBuy(product)}>
              <Coins amount={coins + bonus_coins} />
              <b>{money(price, currency)}</b>
            </button>
          ),
      )}
      {plans?.map(
        ({ id, name, price, currency, duration_days, store_product_id: product }) =>
          product && (
            <button key={id} type="button" className="item vip" onClick={() => onBuy(product)}>
              <b>★ {name}</b>
              <small>{t("renews every {{count}} days", { count: duration_days })}</small>
              <b>{money(price, currency)}</b>
            </button>
          ),
      )}
    </div>
  );
}

/** The last purchase, with its receipt. */
function Bought({ order, onRefund }: { order: Order; onRefund: () => void }) {
  const { payments } = usePerson().hubbub;
  const { data: receipt } = useLoaded(() => payments.receipt(order.id));
  const isRefunded = order.status === "refunded";
  return (
    <div className="bought">
      <p role="status">
        <b>{isRefunded ? t("The store has refunded it.") : t("Paid.")}</b> {receipt?.title}
      </p>
      {[...(receipt ? [receipt, ...receipt.notes] : [])].map(({ number, page_url }) => (
        <a key={number} href={page_url} target="_blank" rel="noreferrer">
          {t("Receipt {{number}}", { number })}
        </a>
      ))}
      {!isRefunded && (
        <button type="button" className="small" onClick={onRefund}>
          {t("Let the store refund it")}
        </button>
      )}
    </div>
  );
}

const states: Record<Subscription["status"], string> = {
  active: key("renews by itself"),
  grace: key("payment due"),
  retry: key("payment due"),
  paused: key("paused"),
  canceled: key("ends then"),
  expired: key("has ended"),
  revoked: key("was taken back"),
};

function Renewing({ of, tell }: { of: Subscription; tell: (event: StoreEvent) => void }) {
  const end = new Date(of.current_period_ends_at).toLocaleDateString(currentLanguage());
  return (
    <li className="line">
      <span>
        ★ {t("VIP until {{date}}", { date: end })}
        <small>{t(states[of.status])}</small>
      </span>
      {of.provider === "apple" && of.status === "active" && (
        <>
          <button type="button" className="small" onClick={() => tell("renew")}>
            {t("Renew now")}
          </button>
          <button type="button" className="small" onClick={() => tell("cancel")}>
            {t("Cancel at the store")}
          </button>
        </>
      )}
    </li>
  );
}
