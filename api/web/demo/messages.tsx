import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import type { Conversation, ServerEvents } from "../../../shared/client/client.ts";
import { Avatar, type Shown } from "./avatar.tsx";
import { useEvents, useLoaded, usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { Held, ReportSheet } from "./report.tsx";
import { submitText } from "./submit-text.ts";
import { t } from "./texts.ts";
import { ago } from "./time.ts";

/** The conversations; with `peer`, opens the one with that user. */
export function Messages({ peer }: { peer: string | undefined }) {
  const person = usePerson();
  const { conversations } = person.hubbub;
  const { data, reload } = useLoaded(async () => {
    if (peer) await conversations.open(peer);
    return conversations.list({ limit: 50 });
  });
  const [openPeer, setOpenPeer] = useState(peer);
  useEvents(["dm:new", "dm:read"], reload);
  const open = data?.items.find((one) => one.id === openPeer || one.peer?.id === openPeer);
  if (open) return <Thread key={open.id} conversation={open} onBack={() => setOpenPeer(undefined)} />;
  return (
    <>
      <div className="head">
        <h2>{t("Chats")}</h2>
      </div>
      {data?.items.length === 0 && <p className="quiet">{t("No conversations yet. Start one from People.")}</p>}
      <ul className="list">
        {data?.items
          .map((one) => ({ ...one, shown: shownOf(one) }))
          .map(({ id, shown, last_message, unread, updated_at }) => (
            <li key={id}>
              <button type="button" onClick={() => setOpenPeer(id)}>
                <Avatar user={shown} size={46} />
                <span>
                  <b>{shown.full_name}</b>
                  <small>
                    <bdi>{last_message?.body ?? t("Say hello")}</bdi>
                  </small>
                </span>
                <span className="side">
                  <small>{ago(updated_at)}</small>
                  {unread > 0 && (
                    <i className="count">
                      {unread}
                      <span className="sr"> {t("unread")}</span>
                    </i>
                  )}
                </span>
              </button>
            </li>
          ))}
      </ul>
    </>
  );
}

/** Whom a conversation shows: the other person, or the group. */
function shownOf({ id, peer, group }: Conversation): Shown & { full_name: string } {
  if (peer) return peer;
  const { name = "", picture_url = null } = group ?? {};
  return { username: id, full_name: name, avatar_url: picture_url };
}

function Thread({ conversation, onBack }: { conversation: Conversation; onBack: () => void }) {
  const person = usePerson();
  const { id, group } = conversation;
  const shown = shownOf(conversation);
  const { conversations } = person.hubbub;
  const { data, reload } = useLoaded(async () => {
    const list = await conversations.messages(id, { limit: 50 });
    if (group || list.items.some(({ read_at, sender_id }) => read_at === null && sender_id !== person.id))
      await conversations.read(id);
    return list;
  });
  const [isTyping, setTyping] = useState(false);
  useEvents(["dm:new", "dm:read"], (payload, event) => {
    if ((payload as ServerEvents["dm:new"]).conversation_id !== id) return;
    // A member who has read may be typing already.
    if (event === "dm:new") setTyping(false);
    reload();
  });
  useEvents(["typing:dm"], (payload) => {
    const typing = payload as ServerEvents["typing:dm"];
    if (typing.conversation_id === id) setTyping(typing.typing);
  });
  useEffect(() => {
    const timer = isTyping ? setTimeout(() => setTyping(false), 5000) : undefined;
    return () => clearTimeout(timer);
  }, [isTyping]);
  const list = useRef<HTMLDivElement>(null);
  const newest = data?.items[0]?.id;
  const toEnd = useCallback(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, []);
  useEffect(toEnd, [newest, isTyping]);
  const [reported, setReported] = useState<string>();

  const label = t("Chat with {{name}}", { name: shown.full_name });
  return (
    <div className="thread">
      <div className="head">
        <button type="button" className="round" aria-label={t("Back to chats")} onClick={onBack}>
          <Icon name="back" size={18} />
        </button>
        <Avatar user={shown} size={34} />
        <h2>{shown.full_name}</h2>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <div className="bubbles" ref={list} role="log" aria-label={label} tabIndex={0}>
        {[...(data?.items ?? [])].reverse().map(({ id: key, sender_id, sender, body, read_at }) => (
          <p key={key} className={sender_id === person.id ? "bubble mine" : "bubble"}>
            {sender && sender_id !== person.id && <b>{sender.full_name}</b>}
            <bdi>{body}</bdi>
            {sender_id !== person.id && (
              <button
                type="button"
                className="link"
                aria-label={t("Report “{{body}}”", { body })}
                onClick={() => setReported(key)}
              >
                <Icon name="flag" size={13} />
              </button>
            )}
            {sender_id === person.id && !group && <small>{read_at ? t("Read") : t("Sent")}</small>}
          </p>
        ))}
        <Held targetId={id} className="bubble mine held" onShown={toEnd} />
        {isTyping && (
          <p className="bubble typing">{t("{{name}} is typing …", { name: shown.full_name.split(" ")[0]! })}</p>
        )}
      </div>
      <ThreadField id={id} />
      {reported && (
        <ReportSheet about={{ target_type: "message", target_id: reported }} onClose={() => setReported(undefined)} />
      )}
    </div>
  );
}

function ThreadField({ id }: { id: string }) {
  const person = usePerson();
  const { conversations } = person.hubbub;
  const typing = useRef(false);
  const show = (isOn: boolean) => {
    if (typing.current === isOn) return;
    typing.current = isOn;
    void person.attempt(() => conversations.typing(id, isOn));
  };
  const send = (event: FormEvent<HTMLFormElement>) => {
    typing.current = false;
    return submitText(event, "body", (body) => person.attempt(() => conversations.send(id, body)));
  };
  return (
    <form className="field" onSubmit={(event) => void send(event)}>
      <input
        name="body"
        placeholder={t("Message")}
        aria-label={t("Message")}
        autoComplete="off"
        maxLength={1000}
        onChange={({ target }) => show(target.value !== "")}
      />
      <button type="submit" className="round" aria-label={t("Send the message")}>
        <Icon name="send" size={18} />
      </button>
    </form>
  );
}
