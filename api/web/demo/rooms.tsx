import { type FormEvent, useState } from "react";
import type { RoomCard } from "../../../shared/client/client.ts";
import { Avatar, hueOf } from "./avatar.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Sheet } from "./sheet.tsx";

export function Rooms() {
  const { hubbub } = usePerson();
  const [search, setSearch] = useState("");
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div className="head">
        <h2>Live now</h2>
        <button type="button" className="small" onClick={() => setNew(true)}>
          <Icon name="plus" size={16} /> New room
        </button>
      </div>
      <input
        className="search"
        type="search"
        placeholder="Search rooms"
        aria-label="Search rooms"
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
  if (!data) return <p className="quiet">Loading …</p>;
  if (data.items.length === 0) return <p className="quiet">No open room matches.</p>;
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
      <button
        type="button"
        className="tile"
        style={{ ["--hue" as string]: hueOf(room.category + room.name) }}
        onClick={() => (needsPassword ? setAsking(true) : void enter())}
      >
        <span className="tile-top">
          <span className="tag">{room.category}</span>
          <span className="tag live">
            <i aria-hidden="true" /> {room.member_count} here
          </span>
        </span>
        <b>
          {room.has_password && <Icon name="lock" size={15} />} {room.name}
        </b>
        <span className="tile-text">{room.description || "Come in."}</span>
        <span className="tile-host">
          <Avatar user={room.host} size={26} /> {room.host.full_name}
          <span className="push">
            {room.seated_count} of {room.seat_count} seats
          </span>
        </span>
      </button>
      {isAsking && (
        <Sheet title={`Enter ${room.name}`} onClose={() => setAsking(false)}>
          <form
            className="form"
            onSubmit={(event) => {
              event.preventDefault();
              void enter(String(new FormData(event.currentTarget).get("password")));
            }}
          >
            <label>
              Password <input name="password" type="password" autoComplete="off" required />
            </label>
            <button type="submit" className="primary">
              Enter
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
    <Sheet title="New room" onClose={onClose}>
      <form className="form" onSubmit={(event) => void create(event)}>
        <label>
          Name <input name="name" required maxLength={60} />
        </label>
        <label>
          Category{" "}
          <select name="category">
            {config?.room_categories.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </select>
        </label>
        <label>
          Description <input name="description" maxLength={500} />
        </label>
        <label>
          Password, if the room has one <input name="password" type="password" autoComplete="off" maxLength={128} />
        </label>
        <button type="submit" className="primary">
          Create and enter
        </button>
      </form>
    </Sheet>
  );
}
