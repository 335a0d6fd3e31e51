import type { NotificationData, NotificationType } from "#shared/contracts/views.ts";
import { games } from "#shared/domain/games/games.ts";

/** What a notification shows. */
interface Shown {
  readonly data: NotificationData;
  /** The name of the opened room, if everyone can still see it. */
  readonly roomName: string | null;
  /** What administrators wrote in an announcement. */
  readonly announcement: { readonly title: string; readonly body: string } | null;
}

interface Texts {
  readonly title: string;
  /** The title if the notification groups several events. */
  readonly titleOfMore?: string;
  readonly body: (shown: Shown, name: string) => string;
}

/** Returns "Ada", "Ada and 1 other", or "Ada and 5 others". */
function namesOf(name: string, count: number): string {
  if (count === 1) return name;
  return `${name} and ${count - 1} ${count === 2 ? "other" : "others"}`;
}

const texts: { readonly [T in Exclude<NotificationType, "announcement">]: Texts } = {
  follow: {
    title: "New follower",
    titleOfMore: "New followers",
    body: ({ data }, name) => `${namesOf(name, data.count)} followed you.`,
  },
  friend_request: { title: "Friend request", body: (_shown, name) => `${name} sent you a friend request.` },
  friend_accepted: { title: "New friend", body: (_shown, name) => `${name} accepted your friend request.` },
  gift: {
    title: "New gift",
    titleOfMore: "New gifts",
    body: ({ data }, name) =>
      data.count === 1
        ? `${name} sent you ${data.gift?.name} × ${data.quantity}.`
        : `${name} sent you ${data.count} gifts worth ${data.total_coins} coins.`,
  },
  post_like: {
    title: "New like",
    titleOfMore: "New likes",
    body: ({ data }, name) => `${namesOf(name, data.count)} liked your post.`,
  },
  post_comment: {
    title: "New comment",
    titleOfMore: "New comments",
    body: ({ data }, name) =>
      data.count === 1
        ? `${name} commented on your post.`
        : `${data.count} new comments on your post, most recently by ${name}.`,
  },
  room_opened: {
    title: "Room opened",
    body: ({ roomName }, name) => (roomName ? `${name} opened the room ${roomName}.` : `${name} opened a room.`),
  },
  game_turn: {
    title: "Your turn",
    body: ({ data: { game = "" } }) => `It's your turn in ${games.get(game)?.meta.name ?? "a game"}.`,
  },
  ticket_answered: {
    title: "Support has answered",
    body: () => "We have answered your request. You will find the answer in your email.",
  },
  report_closed: {
    title: "Report reviewed",
    body: () => "We have reviewed your report. Thank you for helping to keep the community safe.",
  },
  warning: {
    title: "Warning",
    body: ({ data: { target_type } }) => {
      const what = target_type === "user" ? "Your profile or behavior" : `Your ${target_type}`;
      return `${what} breaks the community guidelines. Further violations can lead to the suspension of your account.`;
    },
  },
};

/** Returns the title and body of a notification. They may be shown on a locked phone. */
export function notificationTexts(type: NotificationType, shown: Shown): { title: string; body: string } {
  if (type === "announcement") return shown.announcement!;
  const { title, titleOfMore = title, body } = texts[type];
  const { user, count } = shown.data;
  const name = user ? user.full_name || user.username : "";
  return { title: count === 1 ? title : titleOfMore, body: body(shown, name) };
}
