import type { NotificationData, NotificationType } from "#shared/contracts/views.ts";
import { games } from "#shared/domain/games/games.ts";

/** What a notification says of. `roomName`: of an opened room that everybody may still see. */
export interface Shown {
  readonly data: NotificationData;
  readonly roomName: string | null;
}

interface Texts {
  readonly title: string;
  /** When it tells of more than one thing. */
  readonly titleOfMore?: string;
  readonly body: (shown: Shown, name: string) => string;
}

/** "Ada", "Ada and 1 other", "Ada and 5 others", and the verb that fits. */
function people(name: string, count: number, verbOfOne: string, verbOfMore: string): string {
  if (count === 1) return `${name} ${verbOfOne}`;
  return `${name} and ${count - 1} ${count === 2 ? "other" : "others"} ${verbOfMore}`;
}

const texts: { readonly [T in NotificationType]: Texts } = {
  follow: {
    title: "New follower",
    titleOfMore: "New followers",
    body: ({ data }, name) => `${people(name, data.count, "follows", "follow")} you.`,
  },
  friend_request: { title: "Friend request", body: (_shown, name) => `${name} wants to be your friend.` },
  friend_accepted: { title: "New friend", body: (_shown, name) => `${name} is your friend now.` },
  gift: {
    title: "New gift",
    titleOfMore: "New gifts",
    body: ({ data }, name) =>
      data.count === 1
        ? `${name} sent you ${data.gift?.name} × ${data.quantity}.`
        : `${name} sent you ${data.count} gifts for ${data.total_coins} coins.`,
  },
  post_like: {
    title: "New like",
    titleOfMore: "New likes",
    body: ({ data }, name) => `${people(name, data.count, "likes", "like")} your post.`,
  },
  post_comment: {
    title: "New comment",
    titleOfMore: "New comments",
    body: ({ data }, name) =>
      data.count === 1
        ? `${name} commented on your post.`
        : `${data.count} new comments on your post, the last by ${name}.`,
  },
  room_opened: {
    title: "Room opened",
    body: ({ roomName }, name) => (roomName ? `${name} opened the room ${roomName}.` : `${name} opened a room.`),
  },
  game_turn: {
    title: "Your turn",
    body: ({ data: { game = "" } }) => `It is your turn in ${games.get(game)?.meta.name ?? "a game"}.`,
  },
};

/** Title and body as they are shown, also on a locked phone. */
export function notificationTexts(type: NotificationType, shown: Shown): { title: string; body: string } {
  const { title, titleOfMore = title, body } = texts[type];
  const { user, count } = shown.data;
  return { title: count === 1 ? title : titleOfMore, body: body(shown, user.full_name || user.username) };
}
