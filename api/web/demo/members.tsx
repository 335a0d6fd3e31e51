import type { LiveRoom } from "../../../shared/client/client.ts";
import { Avatar } from "./avatar.tsx";
import { useLoaded, usePerson } from "./hooks.ts";
import type { Open } from "./room.tsx";
import { Sheet } from "./sheet.tsx";

interface Props {
  room: LiveRoom;
  onOpen: (open: Open) => void;
  onClose: () => void;
}

export const MembersSheet = ({ room, onOpen, onClose }: Props) => (
  <Sheet title={`${room.state.member_count} in the room`} onClose={onClose}>
    <ul className="list">
      {room.state.members.map(({ user, role, seat_no, connected }) => (
        <li key={user.id}>
          <button type="button" onClick={() => onOpen({ kind: "member", userId: user.id })}>
            <Avatar user={user} size={40} />
            <span>
              <b>{user.full_name}</b>
              <small>
                {[role !== "member" && role, seat_no && `seat ${seat_no}`, !connected && "reconnecting"]
                  .filter(Boolean)
                  .join(" · ") || "listening"}
              </small>
            </span>
          </button>
        </li>
      ))}
    </ul>
  </Sheet>
);

/** A member's card, and what one can do about them. */
export function MemberSheet({ room, userId, onOpen, onClose }: Props & { userId: string }) {
  const person = usePerson();
  const { data: profile, reload } = useLoaded(() => person.hubbub.users.get(userId));
  const member = room.state.members.find(({ user }) => user.id === userId);
  const runs = room.state.my_role === "host" || room.state.my_role === "moderator";
  const isMe = userId === person.id;
  const { users, friends } = person.hubbub;
  const act = async (call: () => Promise<unknown>) => {
    if (await person.attempt(call)) reload();
  };
  if (!profile) return null;
  return (
    <Sheet title={profile.full_name} onClose={onClose}>
      <div className="card">
        <Avatar user={profile} size={72} />
        <p>{profile.bio || `@${profile.username}`}</p>
        <p className="quiet">
          {profile.followers_count} followers · {profile.following_count} following
        </p>
      </div>
      {!isMe && (
        <div className="choices">
          {member && (
            <button type="button" className="primary" onClick={() => onOpen({ kind: "gifts", to: userId })}>
              Send a gift
            </button>
          )}
          <button
            type="button"
            onClick={() => void act(() => (profile.is_following ? users.unfollow(userId) : users.follow(userId)))}
          >
            {profile.is_following ? "Unfollow" : "Follow"}
          </button>
          {profile.friend_status === "none" && (
            <button type="button" onClick={() => void act(() => friends.request(userId))}>
              Add as a friend
            </button>
          )}
          {runs && member && <RunChoices room={room} userId={userId} onClose={onClose} />}
        </div>
      )}
    </Sheet>
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
          Invite to a seat
        </button>
      )}
      {room.state.my_role === "host" && (
        <button
          type="button"
          onClick={() => void act(() => room.role(userId, member.role === "moderator" ? "member" : "moderator"))}
        >
          {member.role === "moderator" ? "Make a member" : "Make a moderator"}
        </button>
      )}
      <button type="button" onClick={() => void act(() => room.muteChat(userId, 5))}>
        Mute chat for 5 minutes
      </button>
      <button type="button" className="danger" onClick={() => void act(() => room.kick(userId))}>
        Remove from the room
      </button>
    </>
  );
}
