import { useState } from "react";
import type { LiveRoom } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { useLoaded, usePerson } from "./hooks.ts";
import { ReportSheet } from "./report.tsx";
import type { Open } from "./room.tsx";
import { Sheet } from "./sheet.tsx";
import { key, t } from "./texts.ts";

interface Props {
  room: LiveRoom;
  onOpen: (open: Open) => void;
  onClose: () => void;
}

/** Outside of a room, a card has neither. */
type CardProps = Partial<Pick<Props, "room" | "onOpen">> & Pick<Props, "onClose"> & { userId: string };

const roles = { host: key("host"), moderator: key("moderator") } as const;

export const MembersSheet = ({ room, onOpen, onClose }: Props) => (
  <Sheet title={t("{{count}} in the room", { count: room.state.member_count })} onClose={onClose}>
    <ul className="list">
      {room.state.members.map(({ user, role, seat_no, connected }) => (
        <li key={user.id}>
          <button type="button" onClick={() => onOpen({ kind: "member", userId: user.id })}>
            <Avatar user={user} size={40} />
            <span>
              <b>{user.full_name}</b>
              <small>
                {[
                  role !== "member" && t(roles[role]),
                  seat_no && t("seat {{seat}}", { seat: seat_no }),
                  !connected && t("reconnecting"),
                ]
                  .filter(Boolean)
                  .join(" · ") || t("listening")}
              </small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  </Sheet>
);

/** A member's card, and what one can do about them. */
export function MemberSheet({ room, userId, onOpen, onClose }: CardProps) {
  const person = usePerson();
  const { data: profile, reload } = useLoaded(() => person.hubbub.users.get(userId));
  const member = room?.state.members.find(({ user }) => user.id === userId);
  const runs = room?.state.my_role === "host" || room?.state.my_role === "moderator";
  const isMe = userId === person.id;
  const { users, friends } = person.hubbub;
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) reload();
  };
  const [isReporting, setReporting] = useState(false);
  if (!profile) return null;
  if (isReporting) return <ReportSheet about={{ target_type: "user", target_id: userId }} onClose={onClose} />;
  return (
    <Sheet title={profile.full_name} onClose={onClose}>
      <div className="card">
        <Avatar user={profile} size={72} />
        <p>
          <bdi>{profile.bio || `@${profile.username}`}</bdi>
        </p>
        <p className="quiet">
          {t("{{count}} followers", { count: profile.followers_count })} ·{" "}
          {t("{{count}} following", { count: profile.following_count })}
        </p>
      </div>
      {!isMe && (
        <div className="choices">
          {member && (
            <button type="button" className="primary" onClick={() => onOpen?.({ kind: "gifts", to: userId })}>
              {t("Send a gift")}
            </button>
          )}
          <button
            type="button"
            onClick={() => void act(() => (profile.is_following ? users.unfollow(userId) : users.follow(userId)))}
          >
            {profile.is_following ? t("Unfollow") : t("Follow")}
          </button>
          {profile.friend_status === "none" && (
            <button type="button" onClick={() => void act(() => friends.request(userId))}>
              {t("Add as a friend")}
            </button>
          )}
          {profile.friend_status === "friends" && (
            <button type="button" onClick={() => void act(() => friends.remove(userId))}>
              {t("Unfriend")}
            </button>
          )}
          {runs && member && <RunChoices room={room} userId={userId} onClose={onClose} />}
          <Safety userId={userId} onReport={() => setReporting(true)} onClose={onClose} />
        </div>
      )}
    </Sheet>
  );
}

/** What both app stores ask for, beside users' content. */
function Safety({ userId, onReport, onClose }: { userId: string; onReport: () => void; onClose: () => void }) {
  const person = usePerson();
  const { users } = person.hubbub;
  const block = async () => {
    if (!(await person.attempt(() => users.block(userId)))) return;
    person.say(t("Blocked."));
    onClose();
  };
  return (
    <>
      <button type="button" onClick={onReport}>
        {t("Report")}
      </button>
      <button type="button" className="danger" onClick={() => void block()}>
        {t("Block")}
      </button>
    </>
  );
}

function RunChoices({ room, userId, onClose }: { room: LiveRoom; userId: string; onClose: () => void }) {
  const person = usePerson();
  const member = room.state.members.find(({ user }) => user.id === userId);
  if (!member || member.role === "host") return null;
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) onClose();
  };
  return (
    <>
      {member.seat_no === null && (
        <button type="button" onClick={() => void act(() => room.seats.invite(userId))}>
          {t("Invite to a seat")}
        </button>
      )}
      {room.state.my_role === "host" && (
        <button
          type="button"
          onClick={() => void act(() => room.role(userId, member.role === "moderator" ? "member" : "moderator"))}
        >
          {member.role === "moderator" ? t("Make a member") : t("Make a moderator")}
        </button>
      )}
      <button type="button" onClick={() => void act(() => room.muteChat(userId, 5))}>
        {t("Mute chat for 5 minutes")}
      </button>
      <button type="button" className="danger" onClick={() => void act(() => room.kick(userId))}>
        {t("Remove from the room")}
      </button>
    </>
  );
}
