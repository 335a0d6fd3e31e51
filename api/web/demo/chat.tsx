import { type FormEvent, useEffect, useRef } from "react";
import type { LiveRoom, RoomMessage } from "../../../shared/client/client.ts";
import { Avatar, hueOf } from "./avatar.tsx";
import { usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import type { Open } from "./room.tsx";
import { t } from "./texts.ts";

export function Chat({ room, onOpen }: { room: LiveRoom; onOpen: (open: Open) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const { messages } = room;
  const last = messages.at(-1)?.id;
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [last]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className="chat" ref={list} role="log" aria-label={t("Chat")} tabIndex={0}>
      {room.state.description && (
        <p className="about" dir="auto">
          {room.state.description}
        </p>
      )}
      {messages.map((message) => (
        <Message key={message.id} message={message} room={room} onOpen={onOpen} />
      ))}
    </div>
  );
}

function Message({ message, room, onOpen }: { message: RoomMessage; room: LiveRoom; onOpen: (open: Open) => void }) {
  const person = usePerson();
  const { user, body, kind, id } = message;
  if (kind === "system") return <p className="about">{body}</p>;
  const isMine = user.id === person.id;
  const runs = room.state.my_role !== "member" && room.state.my_role !== null;
  return (
    <div className={isMine ? "said mine" : "said"}>
      <Avatar user={{ ...user, is_online: false }} size={28} />
      <div>
        <button
          type="button"
          className="name"
          style={{ ["--hue" as string]: hueOf(user.username) }}
          onClick={() => onOpen({ kind: "member", userId: user.id })}
        >
          {user.full_name}
        </button>
        <p dir="auto">{body}</p>
      </div>
      {(isMine || runs) && (
        <button
          type="button"
          className="link delete"
          aria-label={t("Delete “{{body}}”", { body })}
          onClick={() => void person.attempt(() => room.deleteMessage(id))}
        >
          <Icon name="close" size={13} />
        </button>
      )}
    </div>
  );
}

/** The field for a message. */
export function ChatField({ room }: { room: LiveRoom }) {
  const person = usePerson();
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const body = String(new FormData(form).get("body")).trim();
    if (body && (await person.attempt(() => room.say(body)))) form.reset();
  };
  return (
    <form className="field" onSubmit={(event) => void send(event)}>
      <input
        name="body"
        placeholder={t("Say something")}
        aria-label={t("Chat message")}
        autoComplete="off"
        maxLength={1000}
      />
      <button type="submit" className="round" aria-label={t("Send")}>
        <Icon name="send" size={18} />
      </button>
    </form>
  );
}
