import { type FormEvent, useState } from "react";
import type { RoomCard } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { categoryName } from "./categories.ts";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Scene } from "./scene.tsx";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

export function Rooms() {
  const { hubbub } = usePerson();
  const [search, setSearch] = useState("");
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div className="head">
        <h2>{t("Live now")}</h2>
        <button type="button" className="small" onClick={() => setNew(true)}>
          <Icon name="plus" size={16} /> {t("New room")}
        </button>
      </div>
      <input
        className="search"
        type="search"
        placeholder={t("Search rooms")}
        aria-label={t("Search rooms")}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <RoomList key={search} load={() => hubbub.rooms.list({ limit: 30, ...(search && { q: search }) })} />
      {isNew && <NewRoom onClose={() => setNew(false)} />}
    </>
  );
}

function RoomList({ load }: { load: () => Promise<{ items: RoomCard[] }> }) {
  const { data, reload } = useLoaded(load);
  useEvents(["presence:update", "notification:new", "room:left"], reload);
  if (!data) return <p className="quiet">{t("Loading …")}</p>;
  if (data.items.length === 0) return <p className="quiet">{t("No open room matches.")}</p>;
  return (
    <ul className="rooms">
      {data.items.map((room) => (
        <li key={room.id}>
          <RoomTile room={room} />
        </li>
      ))}
    </ul>
  );
}

function RoomTile({ room }: { room: RoomCard }) {
  const person = usePerson();
  const [isAsking, setAsking] = useState(false);
  const enter = async (password?: string) => {
    if (await person.attempt(() => person.enter(room.id, password))) setAsking(false);
  };
  const needsPassword = room.has_password && room.host.id !== person.id;
  return (
    <>
      <button type="button" className="tile" onClick={() => (needsPassword ? setAsking(true) : void enter())}>
        <Scene name={room.category + room.name} />
        <span className="tile-top">
          <span className="tag">{categoryName(room.category)}</span>
          <span className="tag live">
            {room.member_count > 0 && <i aria-hidden="true" />} {t("{{count}} here", { count: room.member_count })}
          </span>
        </span>
        <b>
          {room.has_password && <Icon name="lock" size={15} />} {room.name}
        </b>
        <span className="tile-text">
          <bdi>{room.description || t("Come in.")}</bdi>
        </span>
        <span className="tile-host">
          <Avatar user={room.host} size={26} /> {room.host.full_name}
          <span className="push">
            {t("{{taken}} of {{count}} seats", { taken: room.seated_count, count: room.seat_count })}
          </span>
        </span>
      </button>
      {isAsking && (
        <Sheet title={t("Enter {{room}}", { room: room.name })} onClose={() => setAsking(false)}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              void enter(String(new FormData(event.currentTarget).get("password")));
            }}
          >
            <label>
              {t("Password")} <input name="password" type="password" autoComplete="off" required />
            </label>
            <button type="submit" className="primary">
              {t("Enter")}
            </button>
          </form>
        </Sheet>
      )}
    </>
  );
}

function NewRoom({ onClose }: { onClose: () => void }) {
  const person = usePerson();
  const { data: config } = useLoaded(() => person.hubbub.config());
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? "");
    const password = text("password");
    await person.attempt(async () => {
      const room = await person.hubbub.rooms.create({
        name: text("name"),
        category: text("category"),
        language: config?.languages[0] ?? "en",
        description: text("description"),
        ...(password && { password }),
      });
      await person.enter(room.id);
    });
  };
  return (
    <Sheet title={t("New room")} onClose={onClose}>
      <form className="form" onSubmit={(event) => void create(event)}>
        <label>
          {t("Name")} <input name="name" required maxLength={60} />
        </label>
        <label>
          {t("Category")}{" "}
          <select name="category">
            {config?.room_categories.map((category) => (
              <option key={category} value={category}>
                {categoryName(category)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("Description")} <input name="description" maxLength={500} />
        </label>
        <label>
          {t("Password, if the room has one")}{" "}
          <input name="password" type="password" autoComplete="off" maxLength={128} />
        </label>
        <button type="submit" className="primary">
          {t("Create and enter")}
        </button>
      </form>
    </Sheet>
  );
}
