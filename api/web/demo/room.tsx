import { lazy, Suspense, useEffect, useState } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { categoryName } from "./categories.ts";
import { Chat } from "./chat.tsx";
import { Games } from "./games.tsx";
import { GiftShow } from "./gift-show.tsx";
import { GiftSheet } from "./gifts.tsx";
import { useLive, usePerson, usePersonState } from "./hooks.ts";
import { Icon } from "./icons.tsx";
import { MemberSheet, MembersSheet } from "./members.tsx";
import { MicControls } from "./mic.tsx";
import { type Reported, ReportSheet } from "./report.tsx";
import { SeatSheet } from "./seat-sheet.tsx";
import { Stage } from "./stage.tsx";
import { t } from "./texts.ts";
import { useVoice, VoiceSheet } from "./voice.tsx";

/** Few services have plays. */
const Plays = lazy(() => import("./plays.tsx"));

/** What is open over the room. */
export type Open =
  | { kind: "gifts"; to?: string }
  | { kind: "members" | "games" | "voice" | "plays" }
  | { kind: "seat"; seatNo: number }
  | { kind: "member"; userId: string }
  | { kind: "report"; about: Reported };

interface RoomProps {
  readonly room: LiveRoom;
  readonly voice: boolean;
  readonly plays: readonly string[];
}

export function RoomScreen({ room, voice, plays }: RoomProps) {
  const person = usePerson();
  const { balance } = usePersonState(person);
  useLive(room);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const isHeard = useVoice(room).state === "on";
  const { state } = room;
  const runs = state.my_role === "host" || state.my_role === "moderator";
  return (
    <div className="room">
      <div className="room-head">
        <button
          type="button"
          className="round"
          aria-label={t("Leave the room")}
          onClick={() => void person.attempt(() => room.leave())}
        >
          <Icon name="leave" size={19} />
        </button>
        <div className="room-name">
          <h2>{state.name}</h2>
          <small>
            {state.host.full_name} · {categoryName(state.category)}
          </small>
        </div>
        <button
          type="button"
          className={isHeard ? "round on" : "round"}
          aria-label={isHeard ? t("Voice, connected") : t("Voice")}
          onClick={() => setOpen({ kind: "voice" })}
        >
          <Icon name="wave" size={19} />
        </button>
        {state.my_role !== "host" && (
          <button
            type="button"
            className="round"
            aria-label={t("Report the room")}
            onClick={() => setOpen({ kind: "report", about: { target_type: "room", target_id: room.id } })}
          >
            <Icon name="flag" size={19} />
          </button>
        )}
        <button
          type="button"
          className="crowd"
          aria-label={t("{{count}} members", { count: state.member_count })}
          onClick={() => setOpen({ kind: "members" })}
        >
          {state.members.slice(0, 3).map(({ user }) => (
            <Avatar key={user.id} user={{ ...user, is_online: false }} size={24} />
          ))}
          <b aria-hidden="true">{state.member_count}</b>
        </button>
      </div>
      <Stage room={room} onOpen={setOpen} />
      {runs && <Requests room={room} />}
      <Invitation room={room} />
      <Chat room={room} onOpen={setOpen} />
      {plays.length > 0 && (
        <Suspense>
          <Plays room={room} plays={plays} isOpen={open?.kind === "plays"} onClose={close} />
        </Suspense>
      )}
      <MicControls room={room} hasPlays={plays.length > 0} onOpen={setOpen} />
      <GiftShow room={room} />
      {open?.kind === "gifts" && <GiftSheet room={room} to={open.to} balance={balance} onClose={close} />}
      {open?.kind === "members" && <MembersSheet room={room} onOpen={setOpen} onClose={close} />}
      {open?.kind === "member" && <MemberSheet room={room} userId={open.userId} onOpen={setOpen} onClose={close} />}
      {open?.kind === "seat" && <SeatSheet room={room} seatNo={open.seatNo} onOpen={setOpen} onClose={close} />}
      {open?.kind === "report" && <ReportSheet about={open.about} onClose={close} />}
      {open?.kind === "voice" && <VoiceSheet room={room} isConfigured={voice} onClose={close} />}
      <Games room={room} isOpen={open?.kind === "games"} onClose={close} />
    </div>
  );
}

/** The pending seat requests, for those who decide them. */
function Requests({ room }: { room: LiveRoom }) {
  const person = usePerson();
  const waiting = room.requests.filter(({ user }) => user.id !== person.id);
  if (waiting.length === 0) return null;
  return (
    <ul className="requests" aria-label={t("Seat requests")}>
      {waiting.map(({ id, user, seat_no }) => (
        <li key={id}>
          <Avatar user={user} size={28} />
          <span>
            <b>{user.full_name}</b> {seat_no ? t("asks for seat {{seat}}", { seat: seat_no }) : t("asks for a seat")}
          </span>
          <button type="button" className="small" onClick={() => void person.attempt(() => room.seats.reject(id))}>
            {t("Decline")}
          </button>
          <button
            type="button"
            className="small primary"
            onClick={() => void person.attempt(() => room.seats.approve(id))}
          >
            {t("Approve")}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Invitation({ room }: { room: LiveRoom }) {
  const person = usePerson();
  const [from, setFrom] = useState<string>();
  useEffect(() => room.on("invited", ({ by }) => setFrom(by.full_name)), [room]);
  if (!from) return null;
  const accept = async () => {
    await person.attempt(() => room.seats.accept());
    setFrom(undefined);
  };
  return (
    <div className="requests" role="status">
      <span>
        <b>{from}</b> {t("invites you to a seat")}
      </span>
      <button type="button" className="small" onClick={() => setFrom(undefined)}>
        {t("Not now")}
      </button>
      <button type="button" className="small primary" onClick={() => void accept()}>
        {t("Take the seat")}
      </button>
    </div>
  );
}
