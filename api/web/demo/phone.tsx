import { useEffect, useState } from "react";
import { Avatar } from "./avatar.tsx";
import type { Setup } from "./demo.tsx";
import { Feed } from "./feed.tsx";
import { usePerson, usePersonState } from "./hooks.ts";
import { Coins, Icon, type IconName } from "./icons.tsx";
import { Messages } from "./messages.tsx";
import { Notifications } from "./notifications.tsx";
import { People } from "./people.tsx";
import { Profile } from "./profile.tsx";
import { RoomScreen } from "./room.tsx";
import { Rooms } from "./rooms.tsx";
import { Shop } from "./shop.tsx";
import { Standing } from "./standing.tsx";
import { key, numberText, t } from "./texts.ts";

const tabs = [
  ["rooms", key("Rooms"), "home"],
  ["feed", key("Feed"), "feed"],
  ["messages", key("Chats"), "chat"],
  ["people", key("People"), "people"],
  ["shop", key("Shop"), "bag"],
] as const satisfies readonly (readonly [string, string, IconName])[];

/** What is over the tabs. */
export type Screen = (typeof tabs)[number][0] | "notifications" | "profile";
export type Go = (screen: Screen, peerId?: string) => void;

/** The app of one person. */
export function Phone({ isShown, setup }: { isShown: boolean; setup: Pick<Setup, "voice" | "store" | "plays"> }) {
  const person = usePerson();
  const { me, room, status, note, looks } = usePersonState(person);
  const [screen, setScreen] = useState<Screen>("rooms");
  const [peer, setPeer] = useState<string>();
  const go: Go = (next, peerId) => {
    setPeer(peerId);
    setScreen(next);
  };
  const name = person.login.full_name;
  return (
    <section
      className={isShown ? "phone" : "phone hidden"}
      aria-label={t("{{name}}'s phone", { name })}
      data-person={person.login.username}
    >
      {me && status !== "online" && (
        <p className="banner" role="status">
          {t("No connection. Trying again; the room will be as it is on the server.")}
        </p>
      )}
      {!me && <p className="loading">{t("Logging in as {{name}} …", { name })}</p>}
      {me && <Standing key={`look ${looks}`} />}
      {me && room && <RoomScreen key={room.id} room={room} voice={setup.voice} plays={setup.plays} />}
      {me && !room && (
        <>
          <TopBar go={go} />
          <div className="screen" key={`${screen} ${peer}`}>
            {screen === "rooms" && <Rooms />}
            {screen === "feed" && <Feed />}
            {screen === "messages" && <Messages peer={peer} />}
            {screen === "people" && <People go={go} />}
            {screen === "shop" && <Shop hasStore={setup.store} />}
            {screen === "notifications" && <Notifications />}
            {screen === "profile" && <Profile />}
          </div>
          <nav className="tabs" aria-label={t("{{name}}'s tabs", { name })}>
            {tabs.map(([key, label, icon]) => (
              <button
                key={key}
                type="button"
                aria-current={screen === key ? "page" : undefined}
                onClick={() => go(key)}
              >
                <Icon name={icon} />
                {t(label)}
              </button>
            ))}
          </nav>
        </>
      )}
      <Note key={note?.id} note={note} />
    </section>
  );
}

function TopBar({ go }: { go: Go }) {
  const { me, balance, unread } = usePersonState(usePerson());
  if (!me) return null;
  return (
    <div className="bar">
      <button type="button" className="who" onClick={() => go("profile")} title={t("Profile")}>
        <Avatar user={me} size={38} />
        <span>
          <b>{me.full_name}</b>
          <small>
            <bdi>@{me.username}</bdi>
          </small>
        </span>
      </button>
      <button
        type="button"
        className="purse"
        onClick={() => go("shop")}
        aria-label={t("{{coins}} coins. Get more", { coins: numberText(balance) })}
      >
        <Coins amount={balance} />
        <Icon name="plus" size={14} />
      </button>
      <button
        type="button"
        className="round bell"
        aria-label={t("Notifications, {{count}} unread", { count: unread })}
        onClick={() => go("notifications")}
      >
        <Icon name="bell" size={20} />
        {unread > 0 && <i aria-hidden="true">{unread}</i>}
      </button>
    </div>
  );
}

function Note({ note }: { note: { text: string; isBad: boolean } | null }) {
  const [isOpen, setOpen] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setOpen(false), 6000);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="notes" role="status">
      {note && isOpen && <p className={note.isBad ? "note bad" : "note"}>{note.text}</p>}
    </div>
  );
}
