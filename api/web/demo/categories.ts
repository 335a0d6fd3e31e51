import { key, t } from "./texts.ts";

/** The categories that a service has from the start. Administrators can add others, which have no translation. */
const names: Readonly<Record<string, string>> = {
  chat: key("Chat"),
  music: key("Music"),
  games: key("Games"),
  dating: key("Dating"),
  education: key("Education"),
  sports: key("Sports"),
  news: key("News"),
  comedy: key("Comedy"),
  spiritual: key("Spirituality"),
  other: key("Other"),
};

export const categoryName = (category: string): string => t(names[category] ?? category);
