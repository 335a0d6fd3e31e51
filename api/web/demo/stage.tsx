import type { LiveRoom, Seat } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { usePerson } from "./hooks.ts";
import { Coins, Icon } from "./icons.tsx";
import type { Open } from "./room.tsx";
import { t } from "./texts.ts";

/** The seats. The host's is the first. */
export function Stage({ room, onOpen }: { room: LiveRoom; onOpen: (open: Open) => void }) {
  const person = usePerson();
  const { seats, my_role } = room.state;
  const mine = seats.find(({ user }) => user?.id === person.id);
  const asked = room.requests.find(({ user }) => user.id === person.id);
  const press = ({ seat_no, user, locked }: Seat) => {
    const runs = my_role === "host" || my_role === "moderator";
    if (user || runs || mine) return onOpen({ kind: "seat", seatNo: seat_no });
    if (locked) return person.say(t("This seat is locked."), true);
    void person.attempt(() => room.seats.request(seat_no));
  };
  return (
    <div className="stage">
      <ul
        aria-label={t("Seats")}
        style={{ ["--columns" as string]: Math.min(5, Math.max(4, Math.ceil((seats.length - 1) / 2))) }}
      >
        {seats.map((seat) => (
          <li key={seat.seat_no} className={seat.seat_no === 1 ? "host" : undefined}>
            <button
              type="button"
              className="seat"
              aria-label={labelOf(seat, asked?.seat_no === seat.seat_no)}
              onClick={() => press(seat)}
            >
              <SeatFace seat={seat} isAsked={asked?.seat_no === seat.seat_no} />
            </button>
            {seat.gifts_received > 0 && <Coins amount={seat.gifts_received} />}
          </li>
        ))}
      </ul>
      {asked && (
        <p className="asked">
          {asked.seat_no ? t("You asked for seat {{seat}}.", { seat: asked.seat_no }) : t("You asked for a seat.")}{" "}
          <button type="button" className="link" onClick={() => void person.attempt(() => room.seats.cancel())}>
            {t("Cancel")}
          </button>
        </p>
      )}
    </div>
  );
}

function SeatFace({ seat, isAsked }: { seat: Seat; isAsked: boolean }) {
  const { user, locked, muted, muted_by_host, speaking, seat_no } = seat;
  const size = seat_no === 1 ? 76 : 58;
  if (!user)
    return (
      <>
        <span className={isAsked ? "empty waiting" : "empty"} style={{ width: size, height: size }}>
          <Icon name={locked ? "lock" : seat_no === 1 ? "mic" : "plus"} size={20} />
        </span>
        <small>{isAsked ? t("Asked") : seat_no === 1 ? t("Host") : seat_no}</small>
      </>
    );
  return (
    <>
      <span className="seated">
        <Avatar user={{ ...user, is_online: false }} size={size} isSpeaking={speaking} />
        {(muted || muted_by_host) && (
          <i className={muted_by_host ? "muted by-host" : "muted"}>
            <Icon name="micOff" size={12} />
          </i>
        )}
      </span>
      <small>{user.full_name.split(" ")[0]}</small>
    </>
  );
}

function labelOf({ seat_no, user, locked, muted, muted_by_host, speaking }: Seat, isAsked: boolean): string {
  const seat = seat_no === 1 ? t("Host's seat") : t("Seat {{seat}}", { seat: seat_no });
  if (!user) return `${seat}, ${isAsked ? t("Asked") : locked ? t("locked") : t("free")}`;
  const states = [speaking && t("speaking"), (muted || muted_by_host) && t("muted")];
  return [seat, user.full_name, ...states.filter(Boolean)].join(", ");
}
