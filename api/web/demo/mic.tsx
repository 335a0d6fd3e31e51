import { useEffect, useRef, useState } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { ChatField } from "./chat.tsx";
import { usePerson } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import type { Open } from "./room.tsx";
import { t } from "./texts.ts";
import { useVoice } from "./voice.tsx";

interface MicProps {
  readonly room: LiveRoom;
  readonly hasPlays: boolean;
  readonly onOpen: (open: Open) => void;
}

/** The bottom bar of a room: chat, microphone, games, plays, gifts. */
export function MicControls({ room, hasPlays, onOpen }: MicProps) {
  const person = usePerson();
  const seat = room.state.seats.find(({ user }) => user?.id === person.id);
  const isHeard = useVoice(room).state === "on";
  const asked = room.requests.some(({ user }) => user.id === person.id);
  return (
    <div className="dock">
      <ChatField room={room} />
      {seat ? (
        <>
          <button
            type="button"
            className={seat.muted ? "round off" : "round on"}
            aria-label={t("Microphone")}
            aria-pressed={!seat.muted}
            onClick={() => void person.attempt(() => room.audio({ muted: !seat.muted }))}
          >
            <Icon name={seat.muted ? "micOff" : "mic"} size={20} />
          </button>
          {!isHeard && <TalkButton room={room} isDisabled={seat.muted || seat.muted_by_host} />}
        </>
      ) : (
        <button
          type="button"
          className="round"
          aria-label={t("Ask for a seat")}
          disabled={asked}
          onClick={() => void person.attempt(() => room.seats.request())}
        >
          <Icon name="seat" size={20} />
        </button>
      )}
      <button type="button" className="round" aria-label={t("Games")} onClick={() => onOpen({ kind: "games" })}>
        <Icon name="game" size={20} />
      </button>
      {hasPlays && (
        <button type="button" className="round" aria-label={t("Plays")} onClick={() => onOpen({ kind: "plays" })}>
          <Icon name="coin" size={20} />
        </button>
      )}
      <button
        type="button"
        className="round gift"
        aria-label={t("Send a gift")}
        onClick={() => onOpen({ kind: "gifts" })}
      >
        <Icon name="gift" size={20} />
      </button>
    </div>
  );
}

/** Tells the room that the user speaks while it is held: for a service without audio. */
function TalkButton({ room, isDisabled }: { room: LiveRoom; isDisabled: boolean }) {
  const person = usePerson();
  const [isDown, setDown] = useState(false);
  const held = useRef(false);
  const speak = (speaking: boolean) => {
    if (held.current === speaking) return;
    held.current = speaking;
    setDown(speaking);
    void person.attempt(() => room.audio({ muted: false, speaking }));
  };
  useEffect(() => {
    if (isDisabled) {
      held.current = false;
      setDown(false);
    }
  }, [isDisabled]);
  return (
    <button
      type="button"
      className={isDown ? "talk down" : "talk"}
      disabled={isDisabled}
      onPointerDown={() => speak(true)}
      onPointerUp={() => speak(false)}
      onPointerLeave={() => speak(false)}
      onKeyDown={({ key }) => (key === " " || key === "Enter") && speak(true)}
      onKeyUp={() => speak(false)}
      onBlur={() => speak(false)}
    >
      {t("Talk")}
    </button>
  );
}
