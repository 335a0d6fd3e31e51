import { type FormEvent, Fragment, useCallback, useEffect, useRef, useState } from "react";
import type { LiveRoom, RoomMessage } from "../../../shared/client/client.ts";
import { Avatar, hueOf, uploadedPath } from "./avatar.tsx";
import { usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Held } from "./report.tsx";
import type { Open } from "./room.tsx";
import { submitText } from "./submit-text.ts";
import { t } from "./texts.ts";

export function Chat({ room, onOpen }: { room: LiveRoom; onOpen: (open: Open) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const { messages } = room;
  const notices = useNotices(room);
  const last = messages.at(-1)?.id;
  const toEnd = useCallback(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, []);
  useEffect(toEnd, [last, notices.length]);
  // What opens beside the chat takes from its height.
  useEffect(() => {
    const watch = new ResizeObserver(toEnd);
    if (list.current) watch.observe(list.current);
    return () => watch.disconnect();
  }, [toEnd]);
  const after = (id: string | undefined) =>
    notices
      .filter((notice) => notice.after === id)
      .map(({ key: line, text }) => (
        <p key={line} className="notice" dir="auto">
          {text}
        </p>
      ));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className="chat" ref={list} role="log" aria-label={t("Chat")} tabIndex={0}>
      {room.state.description && (
        <p className="about" dir="auto">
          {room.state.description}
        </p>
      )}
      {after(undefined)}
      {messages.map((message) => (
        <Fragment key={message.id}>
          <Message message={message} room={room} onOpen={onOpen} />
          {after(message.id)}
        </Fragment>
      ))}
      <Held targetId={room.id} className="notice held" onShown={toEnd} />
    </div>
  );
}

interface Notice {
  readonly key: number;
  readonly text: string;
  /** The message that was the last then. */
  readonly after: string | undefined;
}

const noticesMax = 50;

/** What has happened in the room since it was opened: gifts, and who came in. */
function useNotices(room: LiveRoom): readonly Notice[] {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  useEffect(() => {
    const put = (seq: number, text: string) =>
      setNotices((all) => [...all.slice(1 - noticesMax), { key: seq, text, after: room.messages.at(-1)?.id }]);
    const offs = [
      room.on("joined", ({ seq, member }) => put(seq, t("{{name}} came in", { name: member.user.full_name }))),
      room.on("gift", ({ seq, sender, recipient, gift, quantity }) =>
        put(
          seq,
          t("{{sender}} sent {{recipient}} {{quantity}} × {{gift}}", {
            sender: sender.full_name,
            recipient: recipient.full_name,
            quantity,
            gift: gift.name,
          }),
        ),
      ),
    ];
    return () => {
      for (const off of offs) off();
    };
  }, [room]);
  return notices;
}

function Message({ message, room, onOpen }: { message: RoomMessage; room: LiveRoom; onOpen: (open: Open) => void }) {
  const person = usePerson();
  const { user, body, kind, id, media } = message;
  const picture = media?.kind === "image" ? uploadedPath(media.url) : undefined;
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
        {picture && <img src={picture} alt={t("Picture of {{name}}", { name: user.full_name })} />}
        {body && <p dir="auto">{body}</p>}
      </div>
      {!isMine && (
        <button
          type="button"
          className="link delete"
          aria-label={t("Report “{{body}}”", { body })}
          onClick={() => onOpen({ kind: "report", about: { target_type: "message", target_id: id } })}
        >
          <Icon name="flag" size={13} />
        </button>
      )}
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
  const send = (event: FormEvent<HTMLFormElement>) =>
    submitText(event, "body", (body) => person.attempt(() => room.say(body)));
  const show = (file: File | undefined) =>
    person.attempt(async () => {
      if (!file) return;
      const { id, reason } = await person.hubbub.media.upload(file, { purpose: "room_message" });
      if (reason) return person.say(reason, true);
      await room.say("", { media_id: id });
    });
  return (
    <form className="field" onSubmit={(event) => void send(event)}>
      <label className="round pick" title={t("Send a picture")}>
        <Icon name="plus" size={18} />
        <input
          type="file"
          accept="image/*"
          aria-label={t("Send a picture")}
          onChange={(event) => void show(event.currentTarget.files?.[0])}
        />
      </label>
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
