import { type FormEvent, useState } from "react";
import { Avatar } from "./avatar.tsx";
import { useLoaded, usePerson, usePersonState } from "./hooks.ts";
import { Coins } from "./icons.tsx";
import { Scene } from "./scene.tsx";
import { t } from "./texts.ts";

export function Profile() {
  const person = usePerson();
  const { me, balance } = usePersonState(person);
  const [isEditing, setEditing] = useState(false);
  const { data: leaders } = useLoaded(() => person.hubbub.leaderboard({ scope: "gift_receivers", limit: 5 }));
  const ranks = leaders?.scope === "gift_receivers" ? leaders.items : [];
  if (!me) return null;
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const changed = { full_name: String(form.get("full_name")), bio: String(form.get("bio")) };
    if (!(await person.attempt(() => person.hubbub.users.update(changed)))) return;
    await person.refresh();
    setEditing(false);
  };
  const take = (file: File | undefined) =>
    person.attempt(async () => {
      if (!file) return;
      const { id, reason } = await person.hubbub.media.upload(file, { purpose: "avatar" });
      if (reason) return person.say(reason, true);
      await person.hubbub.users.update({ avatar_media_id: id });
      await person.refresh();
    });
  return (
    <>
      <div className="cover">
        <Scene name={me.username} />
      </div>
      <div className="card me">
        <Avatar user={me} size={84} />
        <label className="link pick">
          {t("Change your picture")}
          <input type="file" accept="image/*" onChange={(event) => void take(event.currentTarget.files?.[0])} />
        </label>
        <h2>{me.full_name}</h2>
        <p className="quiet">
          <bdi>@{me.username}</bdi>
        </p>
        {me.bio && <p dir="auto">{me.bio}</p>}
        <dl className="counts">
          <div>
            <dt>{t("Followers")}</dt>
            <dd>{me.followers_count}</dd>
          </div>
          <div>
            <dt>{t("Following")}</dt>
            <dd>{me.following_count}</dd>
          </div>
          <div>
            <dt>{t("Posts")}</dt>
            <dd>{me.posts_count}</dd>
          </div>
          <div>
            <dt>{t("Wallet")}</dt>
            <dd>
              <Coins amount={balance} />
            </dd>
          </div>
        </dl>
        {me.vip && <p className="tag">{t("{{plan}} member", { plan: me.vip.name })}</p>}
      </div>
      {isEditing ? (
        <form className="form" onSubmit={(event) => void save(event)}>
          <label>
            {t("Name")} <input name="full_name" defaultValue={me.full_name} required maxLength={80} />
          </label>
          <label>
            {t("About you")} <textarea name="bio" defaultValue={me.bio} rows={3} maxLength={500} />
          </label>
          <div className="row">
            <button type="button" onClick={() => setEditing(false)}>
              {t("Cancel")}
            </button>
            <button type="submit" className="primary">
              {t("Save")}
            </button>
          </div>
        </form>
      ) : (
        <button type="button" onClick={() => setEditing(true)}>
          {t("Edit profile")}
        </button>
      )}
      <h3>{t("Most gifts received")}</h3>
      <ol className="list">
        {ranks.map(({ user, score, rank }) => (
          <li key={user.id} className="line">
            <b>{rank}</b>
            <Avatar user={user} size={34} />
            <span>{user.full_name}</span>
            <Coins amount={score} />
          </li>
        ))}
      </ol>
      {leaders && ranks.length === 0 && <p className="quiet">{t("No gifts yet.")}</p>}
    </>
  );
}
