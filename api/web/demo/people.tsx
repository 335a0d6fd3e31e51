import { useState } from "react";
import type { UserCard } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { MemberSheet } from "./members.tsx";
import type { Go } from "./phone.tsx";
import { t } from "./texts.ts";

/** Friends, requests, and a search over all users. */
export function People({ go }: { go: Go }) {
  const person = usePerson();
  const { friends } = person.hubbub;
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState<string>();
  const { data, reload } = useLoaded(async () => {
    const [mine, requests] = await Promise.all([friends.list({ limit: 50 }), friends.requests({ limit: 50 })]);
    return { mine: mine.items, requests: requests.items };
  });
  useEvents(["notification:new", "notification:withdrawn", "presence:update"], reload);
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) reload();
  };
  return (
    <>
      <div className="head">
        <h2>{t("People")}</h2>
      </div>
      <input
        className="search"
        type="search"
        placeholder={t("Find people")}
        aria-label={t("Find people")}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {search.trim() && <Found key={search} text={search.trim()} go={go} onChange={reload} />}
      {data && data.requests.length > 0 && (
        <>
          <h3>{t("Friend requests")}</h3>
          <ul className="list">
            {data.requests.map(({ id, sender }) => (
              <li key={id} className="line">
                <Avatar user={sender} size={42} />
                <span>
                  <b>{sender.full_name}</b>
                </span>
                <button type="button" className="small" onClick={() => void act(() => friends.reject(id))}>
                  {t("Decline")}
                </button>
                <button type="button" className="small primary" onClick={() => void act(() => friends.accept(id))}>
                  {t("Accept")}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{t("Friends")}</h3>
      {data?.mine.length === 0 && <p className="quiet">{t("No friends yet.")}</p>}
      <ul className="list">
        {data?.mine.map((friend) => (
          <li key={friend.id} className="line">
            <button type="button" className="person" onClick={() => setShown(friend.id)}>
              <Avatar user={friend} size={42} />
              <span>
                <b>{friend.full_name}</b>
                <small>{friend.is_online ? t("online") : t("away")}</small>
              </span>
            </button>
            <button type="button" className="small primary" onClick={() => go("messages", friend.id)}>
              {t("Message")}
            </button>
          </li>
        ))}
      </ul>
      {shown && (
        <MemberSheet
          userId={shown}
          onClose={() => {
            setShown(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}

function Found({ text, go, onChange }: { text: string; go: Go; onChange: () => void }) {
  const person = usePerson();
  const { data } = useLoaded(() => person.hubbub.users.search({ q: text, limit: 10 }));
  if (!data) return null;
  const others = data.items.filter(({ id }) => id !== person.id);
  if (others.length === 0) return <p className="quiet">{t("No user matches.")}</p>;
  return (
    <ul className="list">
      {others.map((user) => (
        <FoundUser key={user.id} user={user} go={go} onChange={onChange} />
      ))}
    </ul>
  );
}

function FoundUser({ user, go, onChange }: { user: UserCard; go: Go; onChange: () => void }) {
  const person = usePerson();
  const { users, friends } = person.hubbub;
  const { data: profile, reload } = useLoaded(() => users.get(user.id));
  const act = async (call: () => Promise<unknown>) => {
    if (!(await person.attempt(call))) return;
    reload();
    onChange();
  };
  return (
    <li className="line">
      <Avatar user={user} size={42} />
      <span>
        <b>{user.full_name}</b>
        <small>
          <bdi>@{user.username}</bdi>
        </small>
      </span>
      {profile && (
        <button
          type="button"
          className="small"
          onClick={() => void act(() => (profile.is_following ? users.unfollow(user.id) : users.follow(user.id)))}
        >
          {profile.is_following ? t("Unfollow") : t("Follow")}
        </button>
      )}
      {profile?.friend_status === "none" && (
        <button type="button" className="small" onClick={() => void act(() => friends.request(user.id))}>
          {t("Add")}
        </button>
      )}
      <button type="button" className="small primary" onClick={() => go("messages", user.id)}>
        {t("Message")}
      </button>
    </li>
  );
}
