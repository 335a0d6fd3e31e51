import { furtherSpecs } from "#shared/contracts/games/games.ts";
import type { NotificationData, NotificationType } from "#shared/contracts/views.ts";
import type { Values } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { ownText, textOf } from "#shared/kernel/translate.ts";

/** What a notification shows. */
interface Shown {
  readonly data: NotificationData;
  /** The name of the opened room, if everyone can still see it. */
  readonly roomName: string | null;
  /** What administrators wrote in an announcement. */
  readonly announcement: { readonly title: string; readonly body: string } | null;
}

/** The types whose notifications group several events, and have texts for them. */
const grouped: ReadonlySet<NotificationType> = new Set(["follow", "gift", "post_like", "post_comment"]);

/** What `count` is in the text of a group: follows and likes say who, and how many others. */
const othersOnly: ReadonlySet<NotificationType> = new Set(["follow", "post_like"]);

/** The games of extensions have their names in their own texts. */
function gameNameOf(type: string, language: Language): string {
  const further = furtherSpecs.find(({ meta }) => meta.type === type);
  return further ? ownText(language, further.meta.name, {}) : textOf(language, "notifications", `game_turn.${type}`);
}

/** Returns the key of a body and its values, besides the user's name. */
function bodyOf(type: NotificationType, { data, roomName }: Shown, language: Language): [key: string, values?: Values] {
  const { count } = data;
  if (grouped.has(type) && count > 1)
    return ["body_more", { count: othersOnly.has(type) ? count - 1 : count, coins: data.total_coins ?? 0 }];
  switch (type) {
    case "gift":
      return ["body", { gift: data.gift!.name, quantity: data.quantity! }];
    case "room_opened":
      return roomName ? ["body_named", { room: roomName }] : ["body"];
    case "game_turn":
      return ["body", { game: gameNameOf(data.game!, language) }];
    case "warning":
      return [data.target_type!];
    case "sanction":
      return [data.is_warning ? "warning" : "body"];
    case "content_removed":
      return data.reason ? ["body_why", { reason: data.reason }] : ["body"];
    case "appeal_decided":
      return [data.status!];
    default:
      return ["body"];
  }
}

/** Returns the title and body of a notification. They may be shown on a locked phone. */
export function notificationTexts(
  language: Language,
  type: NotificationType,
  shown: Shown,
): { title: string; body: string } {
  if (type === "announcement") return shown.announcement!;
  if (type === "extension") {
    const { title, body, values } = shown.data.texts!;
    return { title: ownText(language, title, values as Values), body: ownText(language, body, values as Values) };
  }
  const { user, count } = shown.data;
  const name = user ? user.full_name || user.username : "";
  const [key, values] = bodyOf(type, shown, language);
  return {
    title: textOf(language, "notifications", `${type}.${grouped.has(type) && count > 1 ? "titles" : "title"}`),
    body: textOf(language, "notifications", `${type}.${key}`, { name, ...values }),
  };
}
