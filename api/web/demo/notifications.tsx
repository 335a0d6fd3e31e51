import { Avatar } from "./avatar.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { t } from "./texts.ts";
import { ago } from "./time.ts";

export function Notifications() {
  const person = usePerson();
  const { notifications } = person.hubbub;
  const { data, reload } = useLoaded(() => notifications.list({ limit: 50 }));
  useEvents(["notification:new", "notification:withdrawn"], reload);
  const readAll = async () => {
    if (!(await person.attempt(() => notifications.readAll()))) return;
    reload();
    await person.refresh();
  };
  return (
    <>
      <div className="head">
        <h2>{t("Notifications")}</h2>
        <button type="button" className="small" onClick={() => void readAll()}>
          {t("Mark all as read")}
        </button>
      </div>
      {data?.items.length === 0 && <p className="quiet">{t("Nothing new.")}</p>}
      <ul className="list">
        {data?.items.map(({ id, body, read_at, created_at, data: about }) => (
          <li key={id} className={read_at ? "line" : "line unread"}>
            <Avatar user={about.user ?? { username: "hubbub" }} size={40} />
            <span>
              {body}
              <small>{ago(created_at)}</small>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
