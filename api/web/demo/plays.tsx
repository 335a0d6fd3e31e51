import { useState } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

interface Battle {
  readonly id: string;
  readonly room_id: string;
  readonly rival_room_id: string;
  readonly status: string;
  readonly score: number;
  readonly rival_score: number;
}

interface Props {
  readonly room: LiveRoom;
  /** The plays that this service has: names of extensions. */
  readonly plays: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const packet = { coins: 20, shares: 2, kind: "drawn" };
const packetsShown = 3;

/** Red packets, battles, and lucky gifts, on a service with these extensions. */
export default function Plays({ room, plays, isOpen, onClose }: Props) {
  const person = usePerson();
  const [packets, setPackets] = useState<readonly string[]>([]);
  const [battle, setBattle] = useState<Battle>();
  useEvents(["red_packets:sent", "battles:updated", "lucky_gifts:won"], (payload, event) => {
    const told = payload as Battle & { packet_id: string; user_id: string; coins: number };
    if (event === "battles:updated") setBattle(told);
    else if (event === "red_packets:sent") setPackets((all) => [...all, told.packet_id].slice(-packetsShown));
    else if (told.user_id === person.id) {
      person.say(t("Your lucky gift won {{coins}} coins.", { coins: told.coins }));
      void person.refresh();
    }
  });
  const take = async (id: string) => {
    setPackets((all) => all.filter((one) => one !== id));
    await person.attempt(async () => {
      const { coins } = await person.call<{ coins: number }>("POST", `/red-packets/${id}/claims`);
      person.say(t("You got {{coins}} coins.", { coins }));
    });
    await person.refresh();
  };
  return (
    <>
      {packets.map((id) => (
        <div key={id} className="requests" role="status">
          <span>{t("Someone shares coins with the room.")}</span>
          <button type="button" className="small primary" onClick={() => void take(id)}>
            {t("Take a share")}
          </button>
        </div>
      ))}
      {battle && <BattleLine room={room} battle={battle} />}
      {isOpen && <PlaysSheet room={room} plays={plays} onClose={onClose} />}
    </>
  );
}

function BattleLine({ room, battle }: { room: LiveRoom; battle: Battle }) {
  const person = usePerson();
  const { id, status, score, rival_score, rival_room_id } = battle;
  const isRival = rival_room_id === room.id;
  const [own, rival] = isRival ? [rival_score, score] : [score, rival_score];
  const answer = (how: string) => void person.attempt(() => person.call("POST", `/battles/${id}/${how}`));
  if (status === "invited" && isRival && room.state.my_role === "host")
    return (
      <div className="requests" role="status">
        <span>{t("Another room challenges yours.")}</span>
        <button type="button" className="small" onClick={() => answer("decline")}>
          {t("Decline")}
        </button>
        <button type="button" className="small primary" onClick={() => answer("accept")}>
          {t("Accept")}
        </button>
      </div>
    );
  if (status !== "running" && status !== "ended") return null;
  return (
    <div className="requests" role="status">
      <span>
        {status === "running"
          ? t("Battle: {{own}} to {{rival}}", { own, rival })
          : t("The battle is over: {{own}} to {{rival}}", { own, rival })}
      </span>
    </div>
  );
}

function PlaysSheet({ room, plays, onClose }: Omit<Props, "isOpen">) {
  const person = usePerson();
  const { data: rooms } = useLoaded(() => person.hubbub.rooms.list());
  const others = (rooms?.items ?? []).filter(({ id, host }) => id !== room.id && host.id !== person.id).slice(0, 5);
  const run = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) onClose();
    await person.refresh();
  };
  const giveLuckily = async () => {
    const { gift_ids } = await person.call<{ gift_ids: readonly string[] }>("GET", "/lucky-gifts");
    const [gift_id, to] = [gift_ids[0], room.state.members.find(({ user }) => user.id !== person.id)];
    if (!gift_id || !to) return person.say(t("A lucky gift needs someone else, and a gift that is lucky."), true);
    return room.gift({ gift_id, recipient_id: to.user.id, quantity: 1 });
  };
  return (
    <Sheet title={t("Plays")} onClose={onClose}>
      <div className="plays">
        {plays.includes("red_packets") && (
          <button
            type="button"
            onClick={() => void run(() => person.call("POST", "/red-packets", { room_id: room.id, ...packet }))}
          >
            {t("Share 20 coins in a red packet")}
          </button>
        )}
        {plays.includes("lucky_gifts") && (
          <button type="button" onClick={() => void run(giveLuckily)}>
            {t("Send a lucky gift")}
          </button>
        )}
        {plays.includes("battles") &&
          room.state.my_role === "host" &&
          others.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              onClick={() =>
                void run(() => person.call("POST", "/battles", { room_id: room.id, rival_room_id: id, seconds: 60 }))
              }
            >
              {t("Challenge {{room}} to a battle", { room: name })}
            </button>
          ))}
      </div>
    </Sheet>
  );
}
