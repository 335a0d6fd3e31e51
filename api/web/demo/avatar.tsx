import type { UserCard } from "../../../shared/client/client.ts";
import { Face } from "./face.tsx";

/** Hues that go well with the stage and with white text. */
const hues = [262, 330, 205, 12, 172, 288, 228, 348] as const;

/** A hue for a text, the same at each call. */
export const hueOf = (text: string): number =>
  hues[[...text].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 100_003, 7) % hues.length]!;

export type Shown = Pick<UserCard, "username"> & Partial<Pick<UserCard, "avatar_url" | "frame" | "vip" | "is_online">>;

/** Returns the path of a picture that was uploaded here: the demo loads nothing from elsewhere. */
export function uploadedPath(address: string | null | undefined): string | undefined {
  const { pathname = "", search = "" } = (address && URL.parse(address)) || {};
  return /^\/(?:private\/)?media\//.test(pathname) ? pathname + search : undefined;
}

/** A user's picture: what they have uploaded, or drawn from their name. */
export function Avatar({ user, size = 44, isSpeaking = false }: { user: Shown; size?: number; isSpeaking?: boolean }) {
  const hue = hueOf(user.username);
  const id = `avatar-${user.username}`;
  const picture = uploadedPath(user.avatar_url);
  const classes = ["avatar", isSpeaking && "speaking", user.frame && "framed"].filter(Boolean).join(" ");
  return (
    <span
      className={classes}
      style={{ width: size, height: size, ["--hue" as string]: hueOf(user.frame?.name ?? "") }}
      aria-hidden="true"
    >
      {picture ? (
        <img src={picture} alt="" />
      ) : (
        <svg viewBox="0 0 48 48" role="presentation">
          <defs>
            <linearGradient id={id} x1="0" y1="0" x2="1" y2="1">
              <stop offset="0" stopColor={`hsl(${hue} 72% 58%)`} />
              <stop offset="1" stopColor={`hsl(${(hue + 55) % 360} 68% 38%)`} />
            </linearGradient>
            <clipPath id={`${id}-round`}>
              <circle cx="24" cy="24" r="24" />
            </clipPath>
          </defs>
          <circle cx="24" cy="24" r="24" fill={`url(#${id})`} />
          <g clipPath={`url(#${id}-round)`}>
            <Face name={user.username} />
          </g>
        </svg>
      )}
      {user.vip && <i className="vip" />}
      {user.is_online && <i className="online" />}
    </span>
  );
}
