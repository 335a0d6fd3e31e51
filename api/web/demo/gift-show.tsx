import { useEffect, useState } from "react";
import type { LiveRoom, RoomEvents } from "../../../shared/client/client.ts";
import { Art } from "./art.tsx";
import { useLoaded, usePerson } from "./hooks.ts";
import { t } from "./texts.ts";

const showMs = 3200;
const sparks = Array.from({ length: 14 }, (_, index) => index);

interface Shown {
  readonly key: number;
  readonly gift: RoomEvents["gift"];
}

/** What the person earns of a gift that they get, or that is given in their room. No one else is told. */
function Earned({ room, gift: { gift, quantity, recipient } }: { room: LiveRoom; gift: RoomEvents["gift"] }) {
  const { hubbub, id } = usePerson();
  const mayEarn = recipient.id === id || room.state.my_role === "host";
  const { data } = useLoaded(async () => {
    if (!mayEarn) return undefined;
    const [{ name }, { items }] = await Promise.all([hubbub.earnings.get(), hubbub.earnings.movements({ limit: 20 })]);
    // The newest one: the event comes after it.
    const entry = items.find((one) => one.direction === "credit" && one.description === `${gift.name} × ${quantity}`);
    return entry && `+${entry.amount} ${name}`;
  });
  return data ? <em className="earned">{data}</em> : null;
}

/** Shows gifts to everyone in the room, one after the other. */
export function GiftShow({ room }: { room: LiveRoom }) {
  const [queue, setQueue] = useState<readonly Shown[]>([]);
  useEffect(() => room.on("gift", (gift) => setQueue((all) => [...all.slice(-9), { key: gift.seq, gift }])), [room]);
  const [first] = queue;
  const key = first?.key;
  useEffect(() => {
    if (key === undefined) return;
    const timer = setTimeout(() => setQueue((all) => all.slice(1)), showMs);
    return () => clearTimeout(timer);
  }, [key]);
  return (
    <div className="show" role="status">
      {first && (
        <div key={first.key} className={first.gift.gift.price >= 500 ? "gift-shown grand" : "gift-shown"}>
          <div className="burst" aria-hidden="true">
            {sparks.map((index) => (
              <i key={index} style={{ ["--turn" as string]: `${(index / sparks.length) * 360}deg` }} />
            ))}
            <Art name={first.gift.gift.name} size={132} />
          </div>
          <p>
            <b>{first.gift.sender.full_name}</b> <span className="arrow">{t("sends")}</span>{" "}
            <b>{first.gift.recipient.full_name}</b>{" "}
            <b className="times">
              {first.gift.gift.name} × {first.gift.quantity}
            </b>
            <Earned room={room} gift={first.gift} />
            {first.gift.combo > 1 && <em>{t("Combo {{count}}", { count: first.gift.combo })}</em>}
          </p>
        </div>
      )}
    </div>
  );
}
