import { useState } from "react";
import type { Gift, LiveRoom } from "../../../shared/client/client.ts";
import { Art } from "./art.tsx";
import { Avatar } from "./avatar.tsx";
import { useLoaded, usePerson } from "./hooks.ts";
import { Coins } from "./icons.tsx";
import { Sheet } from "./sheet.tsx";
import { numberText, t } from "./texts.ts";

const quantities = [1, 3, 10, 66] as const;

interface Props {
  room: LiveRoom;
  to: string | undefined;
  balance: number;
  onClose: () => void;
}

/** Whom, what, and how many. Closes when the gift is sent, so that the giver sees it, too. */
export function GiftSheet({ room, to, balance, onClose }: Props) {
  const person = usePerson();
  const others = room.state.members.filter(({ user }) => user.id !== person.id);
  const [recipient, setRecipient] = useState(to ?? others[0]?.user.id);
  const [gift, setGift] = useState<Gift>();
  const [quantity, setQuantity] = useState<number>(1);
  const { data: categories } = useLoaded(() => person.hubbub.gifts.list());
  const chosen = others.find(({ user }) => user.id === recipient)?.user;
  const total = (gift?.price ?? 0) * quantity;
  const send = async () => {
    if (!gift || !chosen) return;
    const sent = { gift_id: gift.id, recipient_id: chosen.id, quantity };
    if (await person.attempt(() => room.gift(sent))) onClose();
    await person.refresh();
  };
  return (
    <Sheet title={t("Gifts")} onClose={onClose}>
      {others.length === 0 && <p className="quiet">{t("You are alone here. Gifts need someone to receive them.")}</p>}
      <fieldset className="to">
        <legend className="sr">{t("Recipient")}</legend>
        {others.map(({ user }) => (
          <button
            key={user.id}
            type="button"
            aria-pressed={user.id === recipient}
            onClick={() => setRecipient(user.id)}
          >
            <Avatar user={{ ...user, is_online: false }} size={30} /> {user.full_name}
          </button>
        ))}
      </fieldset>
      <fieldset className="gifts">
        <legend className="sr">{t("Gift")}</legend>
        {categories
          ?.flatMap(({ gifts }) => gifts)
          .map((one) => (
            <button
              key={one.id}
              type="button"
              className={one.price > balance ? "dear" : undefined}
              aria-pressed={gift?.id === one.id}
              onClick={() => setGift(one)}
            >
              <Art name={one.name} size={42} />
              <span>{one.name}</span>
              <Coins amount={one.price} />
            </button>
          ))}
      </fieldset>
      <div className="gift-foot">
        <span className="quiet">
          {t("You have")} <Coins amount={balance} />
        </span>
        <fieldset className="quantities">
          <legend className="sr">{t("How many")}</legend>
          {quantities.map((count) => (
            <button key={count} type="button" aria-pressed={count === quantity} onClick={() => setQuantity(count)}>
              {count}
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          className="primary"
          disabled={!gift || !chosen || total > balance}
          onClick={() => void send()}
        >
          {total > balance
            ? t("Not enough coins")
            : gift
              ? t("Send for {{price}}", { price: numberText(total) })
              : t("Send")}
        </button>
      </div>
    </Sheet>
  );
}
