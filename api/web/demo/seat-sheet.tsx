import type { LiveRoom } from "../../../shared/client/client.ts";
import { usePerson } from "./hooks.ts";
import type { Open } from "./room.tsx";
import { Sheet } from "./sheet.tsx";
import { t } from "./texts.ts";

interface Props {
  room: LiveRoom;
  seatNo: number;
  onOpen: (open: Open) => void;
  onClose: () => void;
}

/** What one can do with a seat. */
export function SeatSheet({ room, seatNo, onOpen, onClose }: Props) {
  const person = usePerson();
  const { seats, members, my_role } = room.state;
  const seat = seats.find(({ seat_no }) => seat_no === seatNo);
  if (!seat) return null;
  const runs = my_role === "host" || my_role === "moderator";
  const isMine = seat.user?.id === person.id;
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) onClose();
  };
  const standing = members.filter(({ seat_no, user }) => seat_no === null && user.id !== person.id);
  return (
    <Sheet
      title={
        seat.user
          ? t("{{name}}, seat {{seat}}", { name: seat.user.full_name, seat: seatNo })
          : t("Seat {{seat}}", { seat: seatNo })
      }
      onClose={onClose}
    >
      <div className="choices">
        {isMine && (
          <button type="button" onClick={() => void act(() => room.seats.leave())}>
            {t("Leave the seat")}
          </button>
        )}
        {seat.user && !isMine && (
          <>
            <button type="button" className="primary" onClick={() => onOpen({ kind: "gifts", to: seat.user!.id })}>
              {t("Send a gift")}
            </button>
            <button type="button" onClick={() => onOpen({ kind: "member", userId: seat.user!.id })}>
              {t("About {{name}}", { name: seat.user.full_name })}
            </button>
          </>
        )}
        {runs && seat.user && !isMine && (
          <>
            <button type="button" onClick={() => void act(() => room.seats.mute(seatNo, !seat.muted_by_host))}>
              {seat.muted_by_host ? t("Unmute") : t("Mute")}
            </button>
            <button type="button" onClick={() => void act(() => room.seats.remove(seatNo))}>
              {t("Remove from the seat")}
            </button>
          </>
        )}
        {!seat.user &&
          runs &&
          seatNo > 1 &&
          standing.map(({ user }) => (
            <button key={user.id} type="button" onClick={() => void act(() => room.seats.invite(user.id, seatNo))}>
              {t("Invite {{name}}", { name: user.full_name })}
            </button>
          ))}
        {!seat.user && runs && seatNo > 1 && (
          <button type="button" onClick={() => void act(() => room.seats.lock(seatNo, !seat.locked))}>
            {seat.locked ? t("Unlock the seat") : t("Lock the seat")}
          </button>
        )}
        {!seat.user && !seat.locked && (
          <button type="button" onClick={() => void act(() => room.seats.request(seatNo))}>
            {t("Sit here")}
          </button>
        )}
      </div>
    </Sheet>
  );
}
