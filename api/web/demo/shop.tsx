import { useEffect, useState } from "react";
import type { CoinPackage, Frame, OrderToPay, VipPlan } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { useLoaded, usePerson, usePersonState } from "./hooks.ts";
import { Coins } from "./icons.tsx";
import { IPhone } from "./iphone.tsx";
import { money } from "./money.ts";
import { Sheet } from "./sheet.tsx";
import { numberText, t } from "./texts.ts";
import { ago } from "./time.ts";

export function Shop({ hasStore }: { hasStore: boolean }) {
  const person = usePerson();
  const { me, balance } = usePersonState(person);
  const { payments, store } = person.hubbub;
  const { data: packages } = useLoaded(() => payments.packages());
  const { data: plans } = useLoaded(() => store.vipPlans());
  const { data: frames, reload } = useLoaded(() => store.frames());
  const [order, setOrder] = useState<OrderToPay>();
  const act = async (call: () => Promise<unknown>) => {
    if (!(await person.attempt(call))) return;
    reload();
    await person.refresh();
  };
  const buy = (call: () => Promise<OrderToPay>) => void person.attempt(async () => setOrder(await call()));
  return (
    <>
      <div className="wallet">
        <h2>{t("Your wallet")}</h2>
        <Coins amount={balance} />
        {me?.vip && <small>{t("{{plan}} member", { plan: me.vip.name })}</small>}
      </div>
      <h3>{t("Get coins")}</h3>
      <div className="shelf">
        {packages?.map((one) => (
          <Package key={one.id} one={one} onBuy={() => buy(() => payments.order({ package_id: one.id }))} />
        ))}
      </div>
      <h3>{t("Frames")}</h3>
      <div className="shelf">
        {frames?.map((frame) => (
          <FrameCard key={frame.id} frame={frame} act={act} />
        ))}
      </div>
      <h3>{t("VIP")}</h3>
      <div className="shelf">
        {plans?.map((plan) => (
          <Plan key={plan.id} plan={plan} onBuy={() => buy(() => store.buyVip(plan.id))} />
        ))}
      </div>
      {hasStore && (
        <details className="iphone">
          <summary>{t("Buy as on an iPhone")}</summary>
          <IPhone />
        </details>
      )}
      <Statement key={balance} />
      {order && <Checkout started={order} onClose={() => setOrder(undefined)} />}
    </>
  );
}

const Package = ({ one, onBuy }: { one: CoinPackage; onBuy: () => void }) => (
  <button type="button" className="item" onClick={onBuy}>
    <Coins amount={one.coins} />
    <small>{one.bonus_coins > 0 ? t("+ {{count}} free", { count: one.bonus_coins }) : one.name}</small>
    <b>{money(one.price, one.currency)}</b>
  </button>
);

const Plan = ({ plan, onBuy }: { plan: VipPlan; onBuy: () => void }) => (
  <button type="button" className="item vip" onClick={onBuy}>
    <b>★ {plan.name}</b>
    <small>{t("{{count}} days", { count: plan.duration_days })}</small>
    <b>{money(plan.price, plan.currency)}</b>
  </button>
);

function FrameCard({ frame, act }: { frame: Frame; act: (call: () => Promise<unknown>) => Promise<void> }) {
  const { hubbub, login } = usePerson();
  const { store } = hubbub;
  const buy = () => store.buyFrame(frame.id, { expected_price: frame.price });
  return (
    <div className="item">
      <Avatar user={{ ...login, frame }} size={48} />
      <b>{frame.name}</b>
      <small>{frame.duration_days ? t("{{count}} days", { count: frame.duration_days }) : t("for good")}</small>
      {frame.owned_by_me ? (
        <button
          type="button"
          className="small"
          aria-label={`${frame.equipped ? t("Take off") : t("Wear")} ${frame.name}`}
          onClick={() => void act(() => (frame.equipped ? store.unequip(frame.id) : store.equip(frame.id)))}
        >
          {frame.equipped ? t("Take off") : t("Wear")}
        </button>
      ) : (
        <button type="button" className="small" onClick={() => void act(buy)}>
          <span className="sr">{t("Buy {{name}} for", { name: frame.name })} </span>
          <Coins amount={frame.price} />
        </button>
      )}
    </div>
  );
}

/** Where the payment happens, and what became of it. The provider's page is a window of its own. */
function Checkout({ started, onClose }: { started: OrderToPay; onClose: () => void }) {
  const person = usePerson();
  const [order, setOrder] = useState(started.order);
  const { providerPayload: payload } = started;
  useEffect(() => {
    if (order.status === "paid") return void person.refresh();
    // No event tells of a payment: it is asked for while this is open.
    const timer = setInterval(() => {
      person.hubbub.payments.get(order.id).then(setOrder, () => {});
    }, 1000);
    return () => clearInterval(timer);
  }, [order.id, order.status, person]);
  const close = () => {
    // Whatever became of it: the answer after the payment may have been lost.
    void person.refresh();
    onClose();
  };
  return (
    <Sheet title={payload.description} onClose={close}>
      {order.status === "paid" ? (
        <p role="status">
          <b>{t("Paid.")}</b>{" "}
          {order.kind === "coins"
            ? t("{{count}} coins are in your wallet.", { count: order.coins ?? 0 })
            : t("You are a VIP now.")}
        </p>
      ) : (
        <>
          <p role="status">
            {order.status === "failed"
              ? t("The payment was declined. You can try again.")
              : t("Waiting for your payment.")}
          </p>
          {payload.provider === "sandbox" && (
            <a className="button primary" href={payload.checkout_url} target="_blank" rel="noreferrer">
              {t("Pay {{price}} in the sandbox", { price: money(payload.amount, payload.currency) })}
            </a>
          )}
          <p className="quiet">{t("No real money. The page opens in a new window; come back when you have paid.")}</p>
        </>
      )}
    </Sheet>
  );
}

function Statement() {
  const person = usePerson();
  const { data } = useLoaded(() => person.hubbub.wallet.transactions({ limit: 10 }));
  return (
    <>
      <h3>{t("Latest entries")}</h3>
      <ul className="list">
        {data?.items.map(({ id, description, direction, amount, created_at }) => (
          <li key={id} className="line">
            <span>
              {description}
              <small>{ago(created_at)}</small>
            </span>
            <b className={direction} dir="ltr">
              {direction === "credit" ? "+" : "−"}
              {numberText(amount)}
            </b>
          </li>
        ))}
      </ul>
    </>
  );
}
